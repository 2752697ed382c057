// The verbs of custom objects. The type says who may write them, and which fields they need.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { customObjectType } from "../custom_data/custom_object_type.ts";
import { checkRequired, checkRole, checkUsable } from "../custom_data/typed_values.ts";
import { customObject } from "./custom_object.ts";

type CustomObject = Row<typeof customObject>;

export async function createCustomObject(ctx: Ctx, given: Create<typeof customObject>): Promise<CustomObject> {
  const type = ctx.directory.get(customObjectType, given.custom_object_type_id)!;
  checkUsable(ctx, "custom_object_type", type);
  checkRequired(ctx, "custom_object_type", type.id, given.custom);
  return store.insert(ctx, customObject, given);
}

export async function updateCustomObject(
  ctx: Ctx,
  before: CustomObject,
  patch: Patch<typeof customObject>,
): Promise<CustomObject> {
  checkRole(ctx, typeOf(ctx, before));
  if (patch.custom) checkRequired(ctx, "custom_object_type", before.custom_object_type_id, patch.custom, before.custom);
  return store.update(ctx, customObject, before, patch);
}

export async function deleteCustomObject(ctx: Ctx, before: CustomObject): Promise<void> {
  checkRole(ctx, typeOf(ctx, before));
  await store.remove(ctx, customObject, [before]);
}

const typeOf = (ctx: Ctx, { custom_object_type_id }: CustomObject) => ctx.directory.get(customObjectType, custom_object_type_id)!;
