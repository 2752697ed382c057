// Steps that speak to people.
import { z } from "zod";
import { anything, defining, duration, id, label, may, naming, need, oneOf, words } from "../catalog.ts";
import { giveCall } from "./calling.ts";
import { addPersonToDialer } from "./dialing.ts";
import { draftEmail, sendEmail } from "./mailing.ts";
import { notifyUsers } from "./notifying.ts";
import { internal, type StepType } from "./step.ts";
import { pauseContact, resumeContact, subscribeContact, unsubscribeContact } from "./subscribing.ts";
import { messageLacks, sendMessage, sendSms } from "./texting.ts";

const define = defining<StepType>();
const outreach = "outreach";

const respect_window = may(z.boolean());
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
  respect_window,
};
const subscription = {
  sequence_id: naming(need(id), "sequence"),
  contact: may(anything),
  sender: may(anything),
  on_conflict: may(oneOf("skip", "fail", "replace")),
};
const subscribing = {
  subscribe: subscribeContact,
  pause: pauseContact,
  resume: resumeContact,
  unsubscribe: unsubscribeContact,
};
const idOutput = z.object({ id: z.string(), object_type: z.string() });
const madeOutput = z.object({ id: z.string(), object_type: z.string(), to: z.union([z.string(), z.array(z.string())]) });
/** The message is written here, once. The machinery of its kind sends it once at most. */
const sending = {
  ports: ["out", "suppressed"],
  side_effect: "at_most_once",
  output: madeOutput,
  keepsHours: true,
  speaks: true,
} as const;

export const outreachSteps: readonly StepType[] = [
  define(outreach, "email.send", "Sends an e-mail.", mail, { ...sending, run: sendEmail }),
  define(outreach, "email.draft", "Writes an e-mail without sending it.", mail, {
    ...internal,
    output: madeOutput,
    run: draftEmail,
  }),
  define(
    outreach,
    "sms.send",
    "Sends a text message.",
    { to: need(anything), from_number: need(id), template_id: naming(may(id), "sms_template"), text: may(words), respect_window },
    { ...sending, run: sendSms },
  ),
  define(
    outreach,
    "message.send",
    "Sends a message on a channel.",
    { to: need(anything), channel: need(label), text: need(words), conversation_id: may(anything), respect_window },
    { ...sending, run: sendMessage, lacks: messageLacks },
  ),
  define(
    outreach,
    "call.task",
    "Creates a task to call.",
    { to: need(anything), assigned_to: need(anything), due: may(z.union([duration, z.string().max(64)])), script: may(words) },
    { ...internal, output: idOutput, run: giveCall },
  ),
  define(
    outreach,
    "dialer.add",
    "Adds a contact to a dialer.",
    { dialer_id: naming(need(id), "dialer"), contact: may(anything) },
    { ...internal, output: z.object({ contact_id: z.string(), added: z.boolean() }), speaks: true, run: addPersonToDialer },
  ),
  ...Object.entries(subscribing).map(([verb, run]) =>
    define(
      outreach,
      `sequence.${verb}`,
      `Has a contact ${verb === "subscribe" ? "taken through" : verb === "unsubscribe" ? "taken out of" : `${verb} in`} a sequence.`,
      subscription,
      {
        ports: ["out", "skipped"],
        side_effect: "internal",
        ...((verb === "subscribe" || verb === "resume") && { speaks: true }),
        output: z.object({ id: z.string().nullable(), reason: z.string().optional(), message: z.string().optional() }),
        run,
      },
    ),
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
    { ...internal, output: z.object({ told: z.array(z.string()) }), run: notifyUsers },
  ),
];
