// `GET /activity/`: every kind in one list.
import type { Ctx } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { activity, threaded, withoutThreads } from "./activity.ts";

export async function listActivities(ctx: Ctx, query: Record<string, string>): Promise<JsonText> {
  const input = await readList(ctx, activity, query);
  if (asksForThreads(query)) return showList(ctx, query.thread_emails?.toLowerCase() === "true" ? threaded : activity, input);

  // That threads are left out is part of the list and changes no plan.
  const onePlan = input.onePlan || input.conditions.length === 0;
  return showList(ctx, activity, { ...input, conditions: [...input.conditions, withoutThreads], onePlan });
}

/** By `thread_emails`, or by naming their type. */
const asksForThreads = ({ thread_emails, _type, _type__in }: Record<string, string>): boolean =>
  thread_emails !== undefined || [_type, _type__in].some((types) => types?.split(",").includes("EmailThread"));
