// `POST /bulk_action/{kind}/`: the bulk action is stored with its items, and a job does them.
import { z } from "zod";
import { type Ctx, may, query } from "../../core/context.ts";
import { notAllowed } from "../../core/errors.ts";
import { JsonText, type Operation, operation } from "../../core/operation.ts";
import type { Resource, Values } from "../../core/resource.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { inputSchema } from "../../records/input.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { sortInput } from "../search/sort.ts";
import { checkSaysSomething, type GivenSelection, readSelection, type Selection, selectionInput } from "../shared/selection.ts";
import { begin } from "./begin.ts";
import { bulkAction } from "./bulk_action.ts";
import { checkEdit, type GivenEdit } from "./check_edit.ts";
import { checkEmail, checkMailbox, checkSequenceSubscription } from "./check_outreach.ts";
import type { Kind } from "./common.ts";
import { bulkDelete } from "./delete.ts";
import { checkEnrich } from "./do_enrich.ts";
import type { BulkAction, Doing } from "./doing.ts";
import { bulkEdit } from "./edit.ts";
import { bulkEmail } from "./email.ts";
import { bulkEnrich } from "./enrich.ts";
import { doings } from "./kinds.ts";
import { checkRecheck } from "./recheck.ts";
import { bulkSequenceSubscription } from "./sequence_subscription.ts";
import { covered, coveredContacts } from "./snapshot.ts";
import { errorsFor, unknownIds } from "./unknown_ids.ts";

const previewed = 20;
const dry_run = z.boolean().default(false).describe("Only says which records it would cover: nothing is stored.");

const preview = z.strictObject({
  dry_run: z.literal(true),
  n_objects: z.int().describe("How many records it would cover, with those that fail."),
  n_leads: z.int().describe("Of how many leads they are."),
  objects: z.array(z.strictObject({ object_id: z.string(), lead_id: z.string().nullable() })).describe("The first twenty."),
  n_failed: z.int().describe("How many of them fail at once, because their ids name no record which you can see."),
  errors: z.array(z.strictObject({ object_id: z.string(), error: z.string() })).describe("Why; the first hundred."),
  unknown_ids: z.array(z.string()).describe("Ids that name no record which you can see; the first twenty."),
});

type Given = GivenSelection & { sort?: unknown; results_limit?: number | null; send_done_email?: boolean };

interface Start {
  of: Resource;
  doc: string;
  input?: Record<string, z.ZodType>;
  /** The values to store, besides those of the selection. */
  check(ctx: Ctx, given: any): Promise<Values<typeof bulkAction>>;
}

const start = (kind: Exclude<Kind, "automation" | "undo">, { of, doc, input = {}, check }: Start): Operation =>
  operation({
    name: `bulk_action.${kind}`,
    method: "POST",
    path: `/bulk_action/${kind}/`,
    doc,
    permission: doings[kind].permission,
    group: "bulk",
    scope: "write_destructive",
    narrows: true,
    previews: true,
    status: 201,
    otherwise: { 200: "What it would cover, with `dry_run`." },
    input: { ...ownInput(of), ...input, ...selectionInput, sort: sortInput.optional(), dry_run },
    get output() {
      return z.union([outputSchema(of), preview]);
    },
    async run(ctx, { dry_run: isDry, s_query, query: text, ids, lead_ids, contact_ids, all, ...given }: any) {
      const values = { ...given, ...(await check(ctx, given)), kind } as BulkAction;
      const doing = doings[kind];
      const kindOfItems = doing.of(ctx, values);
      checkNeeds(ctx, doing, values);
      const selection = await readSelection(ctx, kindOfItems, { s_query, query: text, ids, lead_ids, contact_ids, all });
      checkSaysSomething({ all }, selection);
      checkRecheck(values, selection);
      const asked = { ...values, ...selection };
      const selected = await (doing.coversContacts?.(values) ? coveredContacts : covered)(ctx, kindOfItems, asked);
      const unknown = await unknownIds(ctx, kindOfItems, selection);
      return isDry ? show(ctx, selected, unknown) : stored(ctx, of, asked, selected, unknown);
    },
  });

/** What the kind's own fields take. The selection is described for all kinds alike. */
function ownInput(of: Resource): Record<string, z.ZodType> {
  const { s_query: _, query: __, sort: ___, ...own } = (inputSchema(of, "create") as z.ZodObject).shape;
  return own as Record<string, z.ZodType>;
}

function checkNeeds(ctx: Ctx, doing: Doing, action: BulkAction): void {
  const needed = doing.needs?.(ctx, action) ?? "member";
  if (needed !== "member" && !may(ctx, needed)) throw notAllowed(needed);
}

type Asked = Given & Selection;

async function stored(ctx: Ctx, of: Resource, { sort, ...values }: Asked, selected: Sql, unknown: string[]): Promise<JsonText> {
  const order = typeof sort === "string" ? [sort] : sort;
  const row = await begin(ctx, of, { ...values, ...(order !== undefined && { sort: order }) }, selected, unknown);
  ctx.reply.headers.location = `/api/v1/bulk_action/${row.id}/`;
  return showWritten(ctx, of, row);
}

async function show(ctx: Ctx, selected: Sql, unknown: readonly string[]): Promise<JsonText> {
  ctx.reply.status = 200;
  const rows = await query(
    ctx,
    statement(sql`with found as materialized (${selected})
      select f.id, f.lead_id, count(*) over (), (select count(distinct l.lead_id) from found l) from found f order by f.ord limit ${previewed}`),
  );
  const n_failed = unknown.length;
  const [n_objects, n_leads] = [Number(rows[0]?.[2] ?? 0) + n_failed, Number(rows[0]?.[3] ?? 0)];
  const objects = rows.map(([object_id, lead_id]) => ({ object_id, lead_id }));
  const [errors, unknown_ids] = [errorsFor(unknown), unknown.slice(0, previewed)];
  return new JsonText(JSON.stringify({ dry_run: true, n_objects, n_leads, n_failed, objects, errors, unknown_ids }));
}

export const startEdit = start("edit", {
  of: bulkEdit,
  doc: "Changes values of many records, in the background.",
  input: {
    custom_field_name: z.string().nullish().describe("The custom field, by its name."),
    custom_field_values: z.array(z.unknown()).nullish().describe("Several values of the custom field."),
  },
  async check(ctx, { custom_field_name, custom_field_values, ...given }: GivenEdit) {
    return (await checkEdit(ctx, { ...given, custom_field_name, custom_field_values })).values;
  },
});

export const startDelete = start("delete", {
  of: bulkDelete,
  doc: "Deletes many records, in the background.",
  check: async (_ctx, given) => given,
});

export const startEmail = start("email", {
  of: bulkEmail,
  doc: "Writes an e-mail from a template to many contacts, in the background. Who has unsubscribed is skipped, and no address gets two.",
  async check(ctx, given: Values<typeof bulkEmail>) {
    const values = await checkEmail(ctx, given);
    await checkMailbox(ctx, values);
    return values;
  },
});

export const startSequenceSubscription = start("sequence_subscription", {
  of: bulkSequenceSubscription,
  doc: "Subscribes many contacts to a sequence, or pauses, resumes or reassigns their subscriptions, in the background.",
  check: (ctx, given: Values<typeof bulkSequenceSubscription>) => checkSequenceSubscription(ctx, given),
});

export const startEnrich = start("enrich", {
  of: bulkEnrich,
  doc: "Looks up what is known elsewhere about many leads or contacts, in the background. Each is then an enrichment of its own.",
  check: (ctx, given: Values<typeof bulkEnrich>) => checkEnrich(ctx, given),
});
