// `search`: one question to all the kinds of record that people look for, answered in groups.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import type { ToolResult } from "../result.ts";
import { dataResult, fittingRows, linesOf, type Row, shortened } from "../shape.ts";
import { type ToolCall, tool } from "../tool.ts";

const kinds = ["lead", "contact", "opportunity", "task", "conversation"] as const;

/** What tells a record from the others; more is a `get_record` away. */
const shown =
  "id,display_name,name,title,text,subject,lead_id,lead_name,contact_name,status_label,value_formatted,date,is_complete,status,date_created";

export const search = tool({
  name: "search",
  doc: "Finds leads, contacts, opportunities, tasks and conversations by words: names, e-mail addresses, phone numbers, text. With in_words, `query` is a question such as: my open deals over 10k closing this month.",
  scope: "read",
  input: {
    query: z.string().min(1).max(1000),
    object_types: z.array(z.enum(kinds)).min(1).optional(),
    limit: z.int().min(1).max(25).default(5).describe("Per type."),
    in_words: z.boolean().optional(),
    model: z.literal("rules").optional(),
  },
  output: { found: z.record(z.string(), z.looseObject({})), explanation: z.string(), remark: z.string() },
  operations: ["ai.search", ...kinds.map((kind) => `${kind}.list`)],
  behind: ({ core }, given) => core.registry.operation(given.in_words === true ? "ai.search" : "lead.list")!,
  async run(call, { query, object_types, limit, in_words, model }) {
    if (in_words) return understand(call, { query, object_type: object_types?.[0], model, _limit: limit });
    if (model !== undefined) throw invalid({ model: "is for in_words only: nothing else asks a model" });
    const groups = await Promise.all((object_types ?? kinds).map((kind) => look(call, kind, query, limit)));
    const found = groups.filter(([, { data }]) => data.length > 0);
    return fittingRows(limit, (rows) => foundResult(found.map(([kind, group]) => [kind, first(group, rows)])));
  },
});

type Group = { data: Row[]; has_more: boolean };

const foundResult = (found: readonly (readonly [string, Group])[]): ToolResult =>
  dataResult({ found: Object.fromEntries(found) }, found.map(([kind, { data }]) => `${kind}:\n${linesOf(data)}`).join("\n"));

const first = ({ data, has_more }: Group, rows: number): Group => ({
  data: data.slice(0, rows),
  has_more: has_more || data.length > rows,
});

async function look(call: ToolCall, kind: string, query: string, limit: number): Promise<[string, Group]> {
  const asked = { query, _limit: String(limit), _fields: shown };
  const { body } = await call.perform(`${kind}.list`, { query: asked });
  return [kind, { data: body.data.map((row: Row) => shortened(row, 120)), has_more: body.has_more }];
}

async function understand(call: ToolCall, asked: { _limit: number } & Record<string, unknown>) {
  const { body } = await call.perform("ai.search", { body: asked });
  const data = body.data.map((row: Row) => shortened(row, 120));
  const { explanation, model, notice: remark } = body;
  return fittingRows(asked._limit, (rows) => {
    const group = first({ data, has_more: body.has_more }, rows);
    const structured = { found: { [body.object_type]: group }, explanation, model, ...(remark !== null && { remark }) };
    return dataResult(structured, linesOf(group.data), `${[explanation, remark ?? ""].join("\n").trim()}\n`);
  });
}
