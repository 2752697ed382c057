// The verbs of custom activities. The type says who may write them, and which fields they need to be published.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { customActivityType } from "../custom_data/custom_activity_type.ts";
import { checkRequired, checkRole, checkUsable } from "../custom_data/typed_values.ts";
import { customActivity } from "./custom.ts";
import { checkPlace, place } from "./placing.ts";

type CustomActivity = Row<typeof customActivity>;

export async function createCustomActivity(ctx: Ctx, given: Create<typeof customActivity>): Promise<CustomActivity> {
  const type = ctx.directory.get(customActivityType, given.custom_activity_type_id)!;
  checkUsable(ctx, "activity", type);
  const isPublished = given.status !== "draft";
  if (isPublished) checkRequired(ctx, "activity", type.id, given.custom);
  const { placed } = await place(ctx, given);

  const now = ctx.now.toISOString();
  return store.insert(ctx, customActivity, {
    ...given,
    ...placed,
    last_published_at: isPublished ? now : null,
    pinned_at: given.pinned ? now : null,
  });
}

export async function updateCustomActivity(
  ctx: Ctx,
  before: CustomActivity,
  patch: Patch<typeof customActivity>,
): Promise<CustomActivity> {
  checkRole(ctx, typeOf(ctx, before));
  await checkPlace(ctx, before, patch);
  const status = patch.status ?? before.status;
  const isPublishing = status === "published" && before.status === "draft";
  if (status === "published")
    checkRequired(
      ctx,
      "activity",
      before.custom_activity_type_id,
      patch.custom ?? before.custom,
      isPublishing ? null : before.custom,
    );

  const now = ctx.now.toISOString();
  const pinned = patch.pinned ?? before.pinned;
  return store.update(ctx, customActivity, before, {
    ...patch,
    last_published_at: isPublishing ? now : before.last_published_at,
    pinned_at: pinned ? (before.pinned_at ?? now) : null,
  });
}

export async function deleteCustomActivity(ctx: Ctx, before: CustomActivity): Promise<void> {
  checkRole(ctx, typeOf(ctx, before));
  await store.remove(ctx, customActivity, [before]);
}

const typeOf = (ctx: Ctx, { custom_activity_type_id }: CustomActivity) =>
  ctx.directory.get(customActivityType, custom_activity_type_id)!;
