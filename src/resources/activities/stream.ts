// `GET /activity/`: activities of every kind in one list.
import type { Ctx } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { activity, threaded, withoutThreads } from "./activity.ts";

export async function listActivities(ctx: Ctx, query: Record<string, string>): Promise<JsonText> {
  const input = await readList(ctx, activity, query);
  if (asksForThreads(query)) return showList(ctx, query.thread_emails?.toLowerCase() === "true" ? threaded : activity, input);

  // Leaving out threads is part of the list and does not change the plan.
  const onePlan = input.onePlan || input.conditions.length === 0;
  const [conditions, counted] = [input.conditions, input.counted].map((one) => [...one, withoutThreads]);
  return showList(ctx, activity, { ...input, conditions: conditions!, counted: counted!, onePlan });
}

/** When `thread_emails` is set, or the filter names their type. */
const asksForThreads = ({ thread_emails, _type, _type__in }: Record<string, string>): boolean =>
  thread_emails !== undefined || [_type, _type__in].some((types) => types?.split(",").includes("EmailThread"));
