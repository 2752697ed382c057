// Steps that change records. They go through the front door, with the rights of the member in whose name the run acts.
import { z } from "zod";
import {
  anything,
  type Config,
  defining,
  duration,
  fieldName,
  id,
  ids,
  label,
  may,
  naming,
  need,
  objectType,
  oneOf,
  values,
  words,
} from "../catalog.ts";
import { assignLacks } from "./assigning.ts";
import { attachFile, attachLacks } from "./attaching.ts";
import { assignOwner, change, changeTag, createAny, deleteTarget, updateTarget } from "./changing.ts";
import { completedOutput, completeTasks } from "./completing.ts";
import { createCustomActivity, createNote, createOpportunity, createProject, createQuote, createTask } from "./creating.ts";
import { findThem, foundOutput } from "./finding.ts";
import { changeList } from "./listing.ts";
import { internal, type StepType } from "./step.ts";

const define = defining<StepType>();
const records = "records";
const out = ["out"] as const;
const target = may(anything);
const idOutput = z.object({ id: z.string(), object_type: z.string() });
const assignedOutput = idOutput.extend({ user_id: z.string() });

const create = (type: string, description: string, config: Config, more: Partial<StepType> = {}): StepType =>
  define(records, type, description, config, { ...internal, ...more });

export const recordSteps: readonly StepType[] = [
  create(
    "record.update",
    "Changes fields of a record.",
    {
      target,
      fields: need(values),
      mode: may(oneOf("overwrite", "if_empty", "append", "remove", "increment")),
    },
    {
      output: idOutput,
      does: { verb: "update" },
      run: updateTarget,
      // A message that becomes one of the outbox, or whatever the run makes of it.
      speaks: ({ fields }) =>
        fields?.status !== undefined && (typeof fields.status === "object" || /^(outbox|scheduled)$/.test(fields.status)),
    },
  ),
  define(
    records,
    "record.create",
    "Creates a record, or uses an existing one.",
    {
      object_type: need(objectType),
      fields: need(values),
      dedupe: may(z.strictObject({ by: z.array(fieldName).min(1).max(10), on_match: z.enum(["update", "use", "skip"]) })),
    },
    {
      ports: ["out", "matched"],
      side_effect: "internal",
      output: idOutput,
      does: { verb: "create", kind: ({ object_type }) => object_type },
      speaks: ({ object_type }) => object_type === "conversation" || object_type === "activity",
      run: createAny,
    },
  ),
  define(
    records,
    "record.find",
    "Finds records.",
    { object_type: need(objectType), where: need(values), order: may(label), limit: need(z.int().min(1).max(100)) },
    { ports: ["found", "empty"], output: foundOutput, run: findThem },
  ),
  define(
    records,
    "record.delete",
    "Deletes a record.",
    { target: need(anything) },
    { ports: out, side_effect: "destructive", output: idOutput, does: { verb: "delete" }, run: deleteTarget },
  ),
  create(
    "status.set",
    "Sets a status.",
    {
      target,
      status_id: naming(need(id), "lead_status", "opportunity_status"),
    },
    { output: idOutput, does: { verb: "update" }, run: (call) => change(call, { status_id: call.config.status_id }) },
  ),
  create(
    "owner.assign",
    "Assigns a record to somebody.",
    {
      target,
      mode: may(oneOf("fixed", "round_robin", "least_open", "by_territory")),
      user_id: naming(may(id), "user"),
      pool: naming(may(ids), "user"),
    },
    { output: assignedOutput, does: { verb: "update" }, run: assignOwner, lacks: assignLacks },
  ),
  create(
    "tag.change",
    "Adds or removes a tag.",
    { target, tag: need(label), change: need(oneOf("add", "remove")) },
    { output: idOutput, does: { verb: "update" }, run: changeTag },
  ),
  create(
    "list.change",
    "Adds a record to a list or removes it.",
    {
      target,
      list_id: naming(need(id), "lead_list", "contact_list"),
      change: need(oneOf("add", "remove")),
    },
    { output: idOutput.extend({ changed: z.boolean() }), run: changeList },
  ),
  create(
    "opportunity.create",
    "Creates a deal.",
    {
      lead_id: may(anything),
      contact_id: may(anything),
      status_id: naming(may(id), "opportunity_status"),
      value: may(z.int()),
      value_period: may(label),
      confidence: may(z.int().min(0).max(100)),
      note: may(words),
      user_id: naming(may(id), "user"),
    },
    { output: idOutput, run: createOpportunity },
  ),
  create(
    "task.create",
    "Creates a task.",
    {
      text: need(words),
      lead_id: may(anything),
      contact_id: may(anything),
      due_in: may(duration),
      date: may(label),
      assigned_to: may(anything),
      priority: may(oneOf("high", "medium", "low")),
    },
    { output: idOutput, run: createTask },
  ),
  create(
    "task.complete",
    "Completes a task, or with `where` the open tasks of a record.",
    { target, where: may(values) },
    { output: completedOutput, run: completeTasks },
  ),
  create(
    "note.create",
    "Writes a note.",
    {
      note: need(words),
      lead_id: may(anything),
      contact_id: may(anything),
      title: may(label),
    },
    { output: idOutput, run: createNote },
  ),
  create(
    "custom_activity.create",
    "Creates a custom activity.",
    {
      custom_activity_type_id: naming(need(id), "custom_activity_type"),
      lead_id: may(anything),
      fields: may(values),
      status: may(oneOf("draft", "published")),
    },
    { output: idOutput, run: createCustomActivity },
  ),
  create(
    "project.create",
    "Creates a project.",
    { name: need(label), lead_id: may(anything), fields: may(values) },
    { output: idOutput, run: createProject },
  ),
  create(
    "quote.create",
    "Creates a quote.",
    { opportunity_id: may(anything), template_id: may(id), fields: may(values) },
    {
      output: idOutput,
      run: createQuote,
      lacks: ({ template_id }) => (template_id == null ? null : "knows no templates of quotes: say what it has in fields"),
    },
  ),
  create(
    "file.attach",
    "Attaches a file.",
    { target, file_id: naming(may(id), "file"), slot: may(label), url: may(label) },
    { output: idOutput.extend({ file_id: z.string() }), run: attachFile, lacks: attachLacks },
  ),
];
