// How fast texts are sent. A number sends a limited number of segments a second, as carriers accept them from it, and so does an
// organization with all of its numbers. A member who writes more than a few texts a minute from a number sends in bulk. Bulk
// texts wait in a line of their own, which leaves a part of the number to the others. A text gets its turn once, and comes back
// for it.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { textSegments } from "../../values/text_segments.ts";
import { pgTimestamp } from "../../values/time.ts";
import { ourNumber } from "../telephony/own_numbers.ts";
import type { phoneNumber } from "../telephony/phone_number.ts";
import type { Text } from "./carried.ts";

/** What Twilio sends a second from a number of this kind, in segments. Faster texts would wait there. */
const rates: Record<Row<typeof phoneNumber>["carrier_type"], number> = {
  local: 1,
  national: 1,
  mobile: 1,
  tollfree: 3,
  shortcode: 100,
};
const whatsappRate = 80;
const organizationRate = 50;

/** The share of a second that bulk texts may use. */
const bulkShare = 0.8;

/** How many segments may be sent at once before the pace counts, and how many a minute from one member are not bulk. */
const atOnce = 10;
const bulkPerMinute = 10;

/** A line, by its name: when it is free again, how many units a second it serves, and how many of them at once. */
interface Line {
  name: string;
  rate: number;
  burst: number;
}

/** When a text may be sent, recorded for those behind it. `by` is its sender. */
export async function takePlace(ctx: Ctx, text: Text, by: string): Promise<Date> {
  const { channel = "sms", local_phone } = text;
  const from = `${channel} ${local_phone}`;
  const rate = channel === "sms" ? rates[ourNumber(ctx, local_phone!)?.carrier_type ?? "local"] : whatsappRate;
  const own: Line = { name: `${from} ${by}`, rate: bulkPerMinute / 60, burst: bulkPerMinute };
  const linesOf = (share: number, burst: number, kind: string): Line[] => [
    { name: `${from} ${kind}`, rate: rate * share, burst },
    { name: `all ${kind}`, rate: organizationRate * share, burst },
  ];
  const [single, bulk] = [linesOf(1, atOnce, "single"), linesOf(bulkShare, 1, "bulk")];

  const free = await freeTimes(ctx, [own, ...single, ...bulk]);
  const isSingle = turnIn(ctx, free, own) <= ctx.now.getTime();
  const lines = isSingle ? single : bulk;
  const turn = Math.max(...lines.map((line) => turnIn(ctx, free, line)));
  const units = channel === "sms" ? Math.max(1, textSegments(text.text ?? "")) : 1;
  noteTaken(ctx, [...lines.map((line) => ({ line, units })), ...(isSingle ? [{ line: own, units }] : [])], free);
  return new Date(turn);
}

type Free = Map<string, number>;

/** When two ask at once, the second finds the turn that the first has taken. */
async function freeTimes(ctx: Ctx, lines: readonly Line[]): Promise<Free> {
  const key = `text pace ${ctx.organization_id}`;
  await query(ctx, statement(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`));
  const rows = await query(ctx, {
    name: "text_pace.read",
    text: "select line, free_at from text_pace where organization_id = $1 and line = any($2)",
    values: [ctx.organization_id, lines.map(({ name }) => name)],
  });
  return new Map(rows.map(([line, free_at]) => [line!, Date.parse(pgTimestamp(free_at!))]));
}

const freeAt = ({ now }: Ctx, free: Free, { name }: Line): number => Math.max(now.getTime(), free.get(name) ?? 0);

/** Texts within the burst need not wait until the line is free. */
const turnIn = (ctx: Ctx, free: Free, line: Line): number =>
  Math.max(ctx.now.getTime(), freeAt(ctx, free, line) - ((line.burst - 1) / line.rate) * 1000);

function noteTaken(ctx: Ctx, taken: readonly { line: Line; units: number }[], free: Free): void {
  const times = taken.map(({ line, units }) => new Date(freeAt(ctx, free, line) + (units / line.rate) * 1000));
  write(ctx, {
    name: "text_pace.take",
    text: `insert into text_pace (organization_id, line, free_at, date_created)
           select $1, line, free_at, $4 from unnest($2::text[], $3::timestamptz[]) as t (line, free_at)
           on conflict (organization_id, line) do update set free_at = excluded.free_at`,
    values: [ctx.organization_id, taken.map(({ line }) => line.name), times, ctx.now],
  });
}
