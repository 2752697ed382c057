// The verbs of products.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { ownNames } from "../shared/other_names.ts";
import { product } from "./product.ts";

type Product = Row<typeof product>;

const others = { price: "unit_price", sku: "code" } as const;

export async function createProduct(ctx: Ctx, given: Create<typeof product>): Promise<Product> {
  return store.insert(ctx, product, ownNames(product, given, others));
}

export async function updateProduct(ctx: Ctx, before: Product, patch: Patch<typeof product>): Promise<Product> {
  return store.update(ctx, product, before, ownNames(product, patch, others, before));
}
