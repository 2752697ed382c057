// What creating and changing a product does besides writing the row.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { refuseBoth } from "../shared/resolve_label.ts";
import { product } from "./product.ts";

type Product = Row<typeof product>;

export async function createProduct(ctx: Ctx, given: Create<typeof product>): Promise<Product> {
  return store.insert(ctx, product, priced(given));
}

export async function updateProduct(ctx: Ctx, before: Product, patch: Patch<typeof product>): Promise<Product> {
  return store.update(ctx, product, before, priced(patch));
}

function priced<T extends { unit_price?: number; price?: number }>({ price, ...given }: T): Omit<T, "price"> {
  refuseBoth({ unit_price: given.unit_price, price }, "unit_price", "price");
  return typeof price === "number" ? { ...given, unit_price: price } : given;
}
