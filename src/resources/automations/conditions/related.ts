// Conditions about the records that belong to the record of a run: each of them is asked in turn, a page at a time, until the answer is
// known.
import type { Resource } from "../../../core/resource.ts";
import { name, type Sql, sql } from "../../../db/sql.ts";
import { readPage } from "../../../records/list.ts";
import { readList } from "../../../records/list_input.ts";
import { compares } from "../comparing.ts";
import { isObject } from "../config.ts";
import type { Values } from "../facts.ts";
import { StepFailure } from "../step_failure.ts";
import type { Asked } from "./condition.ts";
import { relationNamed } from "./relations.ts";
import { belongsTo, idOf } from "./subject.ts";

/** `any`, `all`, `none` or a `count` of the records of a relation. Of no records, all and none meet any condition. */
export async function relatedMeets(leaf: Values, asked: Asked): Promise<boolean> {
  const { relation, quantifier, where, count_op, count } = leaf;
  const found = relationNamed(asked.ctx, String(relation));
  if (typeof found === "string") throw new StepFailure("relation_unknown", "config", `${String(relation)} ${found}`);
  const { record } = asked.facts;
  const { outer, inner } = found.link;
  const key = outer === "id" ? idOf(found.from, record) : isOf(found.from, record) ? (record![outer] ?? null) : null;
  const among = (test: Test, most: number) =>
    key === null ? 0 : countMeeting(asked, found.to, [sql`t.${name(inner)} = ${key}`], { where, test, most });

  if (quantifier === "any") return (await among(true, 1)) > 0;
  if (quantifier === "none") return (await among(true, 1)) === 0;
  if (quantifier === "all") return (await among(false, 1)) === 0;
  return compares(String(count_op ?? "gte"), await among(true, Number(count) + 1), Number(count), asked.now);
}

const isOf = (of: Resource, record: Values | null): boolean => record !== null && idOf(of, { id: record.id }) !== null;

/** At least `count` custom objects or custom activities of a type. */
export function typedMeets(kind: "custom_object" | "activity_custom_activity", column: string) {
  return async ({ [column]: type, where, count }: Values, asked: Asked): Promise<boolean> => {
    const of = asked.ctx.registry.resource(kind)!;
    const theirs = kind === "custom_object" ? ofLead(asked) : belongsTo(asked.ctx, asked.facts.record);
    if (theirs === null) return false;
    const most = Number(count ?? 1);
    return (await countMeeting(asked, of, [theirs, sql`t.${name(column)} = ${type}`], { where, test: true, most })) >= most;
  };
}

/** Custom objects belong to leads alone. */
function ofLead({ ctx, facts }: Asked): Sql | null {
  const lead = idOf(ctx.registry.resource("lead")!, facts.record);
  return lead === null ? null : sql`t.lead_id = ${lead}`;
}

/** Whether those are counted that meet the condition, or those that do not. */
type Test = boolean;

interface Wanted {
  where: unknown;
  test: Test;
  /** Enough of them. */
  most: number;
}

const pageSize = 200;
/** A run that would have to read more related records fails, rather than to answer from a part of them. */
const readMost = 5_000;

/** How many of the records meet `where`, or do not. Stops at `most`. */
async function countMeeting(asked: Asked, of: Resource, which: readonly Sql[], { where, test, most }: Wanted): Promise<number> {
  const fields = fieldsIn(where);
  const first = await readList(asked.ctx, of, { _limit: String(pageSize), ...(fields && { _fields: fields.join(",") }) }, which);
  let count = 0;
  for (let input = first, read = 0; ; read += pageSize) {
    if (read >= readMost)
      throw new StepFailure("related_too_many", "config", `There are more than ${readMost} related records to look at`);
    const { records, has_more, last } = await readPage(asked.ctx, of, input);
    for (const { text } of records) if ((await asked.holdsOf(JSON.parse(text), where)) === test && ++count >= most) return count;
    if (!has_more) return count;
    input = { ...first, cursor: last };
  }
}

/** The fields to read: only those that the conditions name, because a record may hold a whole e-mail. Null for all. */
function fieldsIn(where: unknown): string[] | null {
  if (!isObject(where) || Object.keys(where).length === 0) return ["id"];
  if (where.type === "field") return ["id", fieldOf(String(where.ref))];
  const inner = [where.all, where.any, where.not].flat().filter((one) => one !== undefined);
  if (where.type !== undefined || inner.length === 0) return null;
  const all = inner.map(fieldsIn);
  return all.includes(null) ? null : [...new Set(all.flatMap((one) => one!))];
}

/** `record.custom.cf_…` and `custom.cf_…` are custom fields; of `record.emails.0` the list is read. */
const fieldOf = (ref: string): string => /^(?:record\.)?(custom\.\w+|\w+)/.exec(ref)![1]!;
