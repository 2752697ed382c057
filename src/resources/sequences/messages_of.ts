// How many messages a sequence sends to one person, if nothing ends it before.
import type { Ctx } from "../../core/context.ts";
import { empty, sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { sequence } from "./sequence.ts";
import type { stepTypes } from "./steps.ts";

const sending: readonly (typeof stepTypes)[number][] = ["email", "sms", "channel_message"];

export async function messagesOf(ctx: Ctx, sequenceId: string): Promise<number> {
  const [found] = await findRecords(ctx, { ...sequence, visible: undefined }, [sql`t.id = ${sequenceId}`], empty, "by_id");
  return found?.steps.filter(({ step_type }) => sending.includes(step_type)).length ?? 0;
}
