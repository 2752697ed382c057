// The list of events pages both ways: who has read to the end comes back later with `cursor_previous` for what has happened since.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText } from "../../core/operation.ts";
import { from, scope } from "../../core/resource.ts";
import type { Row } from "../../db/database.ts";
import { and, join, raw, sql, statement } from "../../db/sql.ts";
import { countRows } from "../../records/list.ts";
import { afterCursor, cursorOf, decodeCursor, type ListInput, orderBy, readList } from "../../records/list_input.ts";
import { listSchema } from "../../records/standard.ts";
import { outputSchema, projectionOf } from "../../records/writer.ts";
import { event } from "./event.ts";

const cursor = z.string().nullable();

export const eventPage = (listSchema(outputSchema(event)) as z.ZodObject).extend({
  cursor_next: cursor,
  cursor_previous: cursor,
});

/** Where a page begins: behind a row, in the order of the list or against it. */
interface Place {
  values: readonly (string | null)[];
  backwards: boolean;
}

export async function listEvents(ctx: Ctx, { _cursor, ...given }: Record<string, string>): Promise<JsonText> {
  const input = await readList(ctx, event, given);
  const place = _cursor ? readPlace(_cursor, input) : null;
  const projection = projectionOf(event, input.fields, (name) => ctx.registry.resource(name));
  const [found, total] = await Promise.all([
    page(ctx, input, place, projection.select),
    input.count ? countRows(ctx, event, input) : null,
  ]);

  const isMore = found.length > input.limit;
  const rows = found.slice(0, input.limit);
  if (place?.backwards) rows.reverse();
  // Backwards, what was paged from follows; forwards, what did not fit does.
  const has_more = place?.backwards ? rows.length > 0 : isMore;
  const next = has_more && rows.length > 0 ? cursorOf(input, keysOf(rows.at(-1)!, input)) : null;
  const data = rows.map((row) => projection.write(row, ctx.directory, ctx)).join(",");
  const count = total === null ? "" : `,"total_results":${total}`;
  return new JsonText(
    `{"data":[${data}],"has_more":${has_more},"cursor_next":${JSON.stringify(next)},"cursor_previous":${JSON.stringify(previous(input, place, rows))}${count}}`,
  );
}

const keysOf = (row: Row, input: ListInput) => row.slice(row.length - input.order.length);

const backwards = (input: ListInput) => ({ fingerprint: () => `${input.fingerprint()}<` });

function readPlace(given: string, input: ListInput): Place {
  if (input.skip > 0) throw invalid({ _skip: "cannot be used together with _cursor" });
  const forth = decodeCursor(given, input.fingerprint(), input.order.length);
  const back = decodeCursor(given, backwards(input).fingerprint(), input.order.length);
  if (forth === null && back === null)
    throw invalid({ _cursor: "is not a cursor of this list with these filters and this order" });
  return { values: (forth ?? back)!, backwards: back !== null };
}

/** Before the first row; an empty page stays where it is, so that asking again finds what has come. */
function previous(input: ListInput, place: Place | null, rows: readonly Row[]): string | null {
  const values = rows.length > 0 ? keysOf(rows[0]!, input) : place?.backwards ? place.values : null;
  return values === null ? null : cursorOf(backwards(input), values);
}

function page(ctx: Ctx, input: ListInput, place: Place | null, select: string): Promise<Row[]> {
  const order = place?.backwards ? input.order.map((key) => ({ ...key, descending: !key.descending })) : input.order;
  const conditions = [...scope(ctx, event), ...input.conditions, ...(place ? [afterCursor(order, place.values)] : [])];
  const keys = join(
    order.map((key) => key.sql),
    ", ",
  );
  return query(
    ctx,
    statement(sql`select ${raw(select)}, ${keys} from ${from(event, "t")} where ${and(conditions)}
      order by ${orderBy(order)} limit ${raw(String(input.limit + 1))} offset ${input.skip}`),
  );
}
