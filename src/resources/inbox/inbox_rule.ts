// An inbox rule: conditions on incoming messages, and actions for those that match.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { boolean, choice, input, integer, json, label, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { positionMax } from "../shared/positions.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import { folderOf } from "./inbox_folder.ts";
import { type Action, type Condition, conditionFields, type Known, readActions, readConditions } from "./rule_grammar.ts";

const shownCondition = z.object({
  field: z.enum(conditionFields),
  operator: z.string(),
  value: z.union([z.string(), z.array(z.string()), z.boolean()]),
});
const shownAction = z.object({ type: z.string(), value: z.union([z.string(), z.array(z.string()), z.literal(true)]) });

export const inboxRule = resource({
  name: "inbox_rule",
  prefix: "rule",
  doc: "A rule for incoming messages: conditions on a message, and actions on its conversation.",
  event: null,
  order: "position",
  sort: { position: true, name: true },
  acts: {
    while: ({ is_enabled }) => is_enabled,
    states: ["is_enabled"],
    without: ["name", "position", "last_matched_at", "match_count", "latest_error"],
  },
  visible: (ctx, alias) =>
    may(ctx, "manage_customizations")
      ? null
      : sql`(${name(alias)}.user_id is null or ${name(alias)}.user_id = ${ctx.actor.user_id})`,
  fields: {
    name: text({ required: true }),
    is_enabled: boolean({ default: true }),
    position: integer({
      min: 0,
      max: positionMax,
      filled: true,
      doc: "Rules with lower positions run first; by default it is the last.",
    }),
    sequence: input(z.int().min(0).max(positionMax), { doc: "Another name of `position`." }),
    match: choice(["all", "any"], { default: "all", doc: "Whether all conditions must be met, or one is enough." }),
    conditions: said<Condition>(shownCondition, readConditions, {
      required: true,
      doc: 'A list such as `[{"field": "subject", "operator": "contains", "value": "invoice"}]`, or in short `{"subject_contains": "invoice"}`. `matches` takes `*` for any text and `?` for one character, such as `inv*ce-????`; it knows no regular expressions.',
    }),
    exceptions: said<Condition>(shownCondition, readConditions, {
      default: [],
      doc: "In the same form. Messages that match them are left alone.",
    }),
    actions: said<Action>(shownAction, readActions, {
      required: true,
      doc: 'A list such as `[{"type": "add_tag", "value": "billing"}]`, or in short `{"add_tag": "billing"}`.',
    }),
    stop_processing: boolean({ default: false, doc: "When it matches, no later rule runs." }),
    user_id: ref("user", { onDelete: "keep", onMove: "clear" }, { doc: "The member it is for; null for everybody." }),
    user_name: label("user_id", "user", "name"),
    last_matched_at: timestamp({ readOnly: true }),
    match_count: integer({ readOnly: true, default: 0, doc: "How many messages have matched." }),
    latest_error: text({
      readOnly: true,
      doc: "Why an action was not carried out for the latest message that matched. The message itself was received.",
    }),
  },
});

type Read<T> = (given: unknown, known: Known) => T[];

/** Conditions or actions: a list of them, or a short form as a map. */
function said<T>(shown: z.ZodType, read: Read<T>, options: { required?: true; default?: T[]; doc: string }) {
  const given = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())], { error: "must be a list or an object" });
  return json(given as unknown as z.ZodType<T[]>, {
    ...(options as { required: true; doc: string }),
    output: z.array(shown) as unknown as z.ZodType<T[]>,
    normalize(value: unknown, ctx: Ctx): T[] {
      const list = read(value, knownTo(ctx));
      if (options.required && list.length === 0) throw invalid({ "": "must not be empty" });
      return list;
    },
  });
}

const knownTo = (ctx: Ctx): Known => ({
  isFolder: (id) => folderOf(ctx, id) !== undefined,
  isAssignee: (id) => canBeAssigned(ctx.directory, id),
  isLeadStatus: (id) => ctx.directory.get(leadStatus, id) !== undefined,
});
