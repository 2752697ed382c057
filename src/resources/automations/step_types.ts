// What an automation can do.
import { z } from "zod";
import {
  anything,
  clockTime,
  define,
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
  positive,
  type TypeDefinition,
  units,
  values,
  words,
  zone,
} from "./catalog.ts";

const flow = "flow";
const records = "records";
const outreach = "outreach";
const external = "external";
const ai = "ai";

const out = ["out"] as const;
const internal = { ports: out, side_effect: "internal" } as const;
const place = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, { error: "must begin with a letter and have only a-z, 0-9 and _" });
const target = may(anything);
const timeout = need(duration);

/** The ids in a list of the config, such as the cases of a branch. */
const namesIn =
  (key: string, name = "id") =>
  (config: Record<string, unknown>): string[] => {
    const list = Array.isArray(config[key]) ? config[key] : [];
    return list.flatMap((one: any) => (typeof one === "string" ? [one] : typeof one?.[name] === "string" ? [one[name]] : []));
  };
const cases = namesIn("cases");

const create = (type: string, description: string, config: TypeDefinition["config"]) =>
  define(records, type, description, config, internal);

const mail = {
  to: need(anything),
  from: may(anything),
  template_id: naming(may(id), "email_template"),
  subject: may(z.string().max(1000)),
  body: may(words),
  cc: may(z.array(anything).max(100)),
  bcc: may(z.array(anything).max(100)),
  thread: may(oneOf("new", "reply_to_last", "reply_to_step")),
  attach_file_slot: may(label),
  respect_window: may(z.boolean()),
};
const subscription = {
  sequence_id: naming(need(id), "sequence"),
  contact: may(anything),
  sender: may(anything),
  on_conflict: may(oneOf("skip", "fail", "replace")),
};
const sending = { ports: ["out", "suppressed"], side_effect: "at_most_once" } as const;
const asking = { prompt: need(words), input: may(values), output_schema: may(values), model: may(label) };

export const stepTypes: readonly TypeDefinition[] = [
  define(
    flow,
    "branch",
    "Goes on by the first case whose condition is met.",
    {
      cases: need(
        z
          .array(z.strictObject({ id: place, when: values.optional(), name: label.optional() }))
          .min(1)
          .max(50),
      ),
    },
    { ports: (config) => [...cases(config), "else"] },
  ),
  define(
    flow,
    "split",
    "Parts records by weight, each always the same way.",
    {
      variants: need(
        z
          .array(z.strictObject({ id: place, weight: z.number().min(0).max(1_000_000) }))
          .min(2)
          .max(20),
      ),
      salt: may(label),
    },
    { ports: namesIn("variants") },
  ),
  define(
    flow,
    "wait.duration",
    "Waits for a while.",
    {
      amount: need(z.int().min(1).max(1_000_000)),
      unit: need(z.enum(units)),
      at: may(clockTime),
      timezone: may(zone),
    },
    { ports: out },
  ),
  define(
    flow,
    "wait.until",
    "Waits for a moment.",
    { date: need(anything), offset: may(values), if_past: need(oneOf("continue", "skip")) },
    { ports: ["out", "skipped"] },
  ),
  define(
    flow,
    "wait.condition",
    "Waits until a condition is met.",
    { when: need(values), timeout },
    { ports: ["matched", "timeout"] },
  ),
  define(
    flow,
    "wait.event",
    "Waits for something to happen.",
    {
      event: need(label),
      match: need(values),
      where: may(values),
      timeout,
      include_since: may(oneOf("trigger", "previous_step", "arrival")),
    },
    { ports: ["matched", "timeout"] },
  ),
  define(
    flow,
    "approve",
    "Asks somebody.",
    { approvers: need(z.array(anything).min(1).max(50)), text: need(words), timeout },
    { ports: ["approved", "rejected", "timeout"], side_effect: "internal" },
  ),
  define(
    flow,
    "loop",
    "Does the same for each of several things.",
    { items: need(anything), max: need(z.int().min(1).max(1000)) },
    { ports: ["each", "done"] },
  ),
  define(flow, "goto", "Goes back to an earlier step.", { step: need(place) }, { ports: [] }),
  define(flow, "stop", "Ends.", { outcome: may(label), message: may(words) }, { ports: [] }),
  define(flow, "fail", "Ends as failed.", { outcome: may(label), message: may(words) }, { ports: [] }),
  define(flow, "set.vars", "Keeps values for later steps.", { values: need(values) }, { ports: out }),

  create("record.update", "Changes fields of a record.", {
    target,
    fields: need(values),
    mode: may(oneOf("overwrite", "if_empty", "append", "remove", "increment")),
  }),
  define(
    records,
    "record.create",
    "Creates a record, or takes one that is there.",
    {
      object_type: need(objectType),
      fields: need(values),
      dedupe: may(z.strictObject({ by: z.array(fieldName).min(1).max(10), on_match: z.enum(["update", "use", "skip"]) })),
    },
    { ports: ["out", "matched"], side_effect: "internal" },
  ),
  define(
    records,
    "record.find",
    "Finds records.",
    { object_type: need(objectType), where: need(values), order: may(label), limit: need(z.int().min(1).max(100)) },
    { ports: ["found", "empty"] },
  ),
  define(records, "record.delete", "Deletes a record.", { target: need(anything) }, { ports: out, side_effect: "destructive" }),
  create("status.set", "Sets a status.", {
    target,
    status_id: naming(need(id), "lead_status", "opportunity_status"),
  }),
  create("owner.assign", "Gives a record to somebody.", {
    target,
    mode: may(oneOf("fixed", "round_robin", "least_open", "by_territory")),
    user_id: naming(may(id), "user"),
    pool: naming(may(ids), "user"),
  }),
  create("tag.change", "Puts a tag on or takes it off.", { target, tag: need(label), change: need(oneOf("add", "remove")) }),
  create("list.change", "Puts a record on a list or takes it off.", {
    target,
    list_id: naming(need(id), "lead_list", "contact_list"),
    change: need(oneOf("add", "remove")),
  }),
  create("opportunity.create", "Creates a deal.", {
    lead_id: may(anything),
    contact_id: may(anything),
    status_id: naming(may(id), "opportunity_status"),
    value: may(z.int()),
    value_period: may(label),
    confidence: may(z.int().min(0).max(100)),
    note: may(words),
    user_id: naming(may(id), "user"),
  }),
  create("task.create", "Creates a task.", {
    text: need(words),
    lead_id: may(anything),
    contact_id: may(anything),
    due_in: may(duration),
    date: may(label),
    assigned_to: may(anything),
    priority: may(oneOf("high", "medium", "low")),
  }),
  create("task.complete", "Completes tasks.", { target, where: may(values) }),
  create("note.create", "Writes a note.", {
    note: need(words),
    lead_id: may(anything),
    contact_id: may(anything),
    title: may(label),
  }),
  create("custom_activity.create", "Creates a custom activity.", {
    custom_activity_type_id: naming(need(id), "custom_activity_type"),
    lead_id: may(anything),
    fields: may(values),
    status: may(oneOf("draft", "published")),
  }),
  create("project.create", "Creates a project.", { name: need(label), lead_id: may(anything), fields: may(values) }),
  create("quote.create", "Creates a quote.", { opportunity_id: may(anything), template_id: may(id), fields: may(values) }),
  create("file.attach", "Attaches a file.", { target, file_id: naming(may(id), "file"), slot: may(label), url: may(label) }),

  define(outreach, "email.send", "Sends an e-mail.", mail, sending),
  define(outreach, "email.draft", "Writes an e-mail without sending it.", mail, internal),
  define(
    outreach,
    "sms.send",
    "Sends a text message.",
    { to: need(anything), from_number: need(id), template_id: naming(may(id), "sms_template"), text: may(words) },
    sending,
  ),
  define(
    outreach,
    "message.send",
    "Sends a message on a channel.",
    { to: need(anything), channel: need(label), text: need(words), conversation_id: may(anything) },
    sending,
  ),
  define(
    outreach,
    "call.task",
    "Asks somebody to call.",
    { to: need(anything), assigned_to: need(anything), due: may(anything), script: may(words) },
    internal,
  ),
  define(
    outreach,
    "dialer.add",
    "Puts a contact on a dialer.",
    { dialer_id: naming(need(id), "dialer"), contact: may(anything) },
    internal,
  ),
  ...["subscribe", "pause", "resume", "unsubscribe"].map((verb) =>
    define(
      outreach,
      `sequence.${verb}`,
      `Has a contact ${verb === "subscribe" ? "taken through" : verb === "unsubscribe" ? "taken out of" : `${verb} in`} a sequence.`,
      subscription,
      {
        ports: ["out", "skipped"],
        side_effect: "internal",
      },
    ),
  ),
  define(
    flow,
    "automation.start",
    "Starts another automation.",
    {
      automation_id: naming(need(id), "automation", "automations"),
      input: may(values),
      wait: may(z.boolean()),
      timeout: may(duration),
    },
    { ports: ["out", "timeout", "child_failed"], side_effect: "internal" },
  ),
  define(
    flow,
    "automation.exit",
    "Takes a record out of automations.",
    { automation_ids: need(ids), record: may(anything) },
    internal,
  ),
  define(
    outreach,
    "notify.user",
    "Tells members.",
    {
      to: need(z.array(anything).min(1).max(50)),
      text: need(words),
      channels: may(z.array(z.enum(["in_app", "email"])).min(1)),
      urgency: may(oneOf("low", "normal", "high")),
    },
    { ports: out, side_effect: "keyed" },
  ),
  define(
    external,
    "http.request",
    "Asks another service.",
    {
      method: need(oneOf("GET", "POST", "PUT", "PATCH", "DELETE")),
      url: need(
        z
          .string()
          .max(2048)
          .regex(/^https?:\/\/\S+$/i, { error: "must be an address that begins with https:// or http://" }),
      ),
      headers: may(values),
      body: may(anything),
      auth_credential: may(label),
      expect_status: may(z.array(z.int().min(100).max(599)).max(50)),
      response_map: may(values),
      timeout_s: may(z.int().min(1).max(30)),
    },
    { ports: ["out", "http_error"], side_effect: "keyed" },
  ),
  define(
    external,
    "webhook.emit",
    "Tells webhooks of an event of one's own.",
    { event_name: need(label), payload: need(values) },
    internal,
  ),
  define(
    external,
    "enrich.run",
    "Looks facts up.",
    {
      target: need(anything),
      providers: may(z.array(label).max(10)),
      fields: may(z.array(fieldName).max(50)),
      wait: may(z.boolean()),
    },
    { ports: ["done", "no_match", "timeout"], side_effect: "keyed" },
  ),
  define(ai, "ai.generate", "Has a model write.", asking, { ports: out, side_effect: "keyed" }),
  define(
    ai,
    "ai.classify",
    "Has a model choose, and goes on by its choice.",
    {
      ...asking,
      classes: need(
        z
          .array(z.strictObject({ id: place, description: words.optional() }))
          .min(2)
          .max(50),
      ),
    },
    { ports: namesIn("classes"), side_effect: "keyed" },
  ),
  define(
    ai,
    "ai.extract",
    "Has a model find facts in a text.",
    { ...asking, output_schema: need(values) },
    { ports: out, side_effect: "keyed" },
  ),
  define(
    ai,
    "ai.score",
    "Has a model judge.",
    { ...asking, rubric: may(anything), max: may(positive) },
    { ports: out, side_effect: "keyed" },
  ),
  define(
    external,
    "mailing_export.push",
    "Sends a contact to a mailing platform.",
    { platform: need(label), config: may(values) },
    { ports: out, side_effect: "keyed" },
  ),
];
