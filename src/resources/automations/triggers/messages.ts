// Triggers that mail, texts, calls, meetings and other messages start.
import { z } from "zod";
import { activityKinds, defining, direction, id, label, may, naming, need, positive, values } from "../catalog.ts";
import { isLogged, namesOfKinds } from "../event_matching.ts";
import { events, type TriggerType } from "./trigger_type.ts";

const define = defining<TriggerType>();
const messages = "messages";

export const messageTriggers: readonly TriggerType[] = [
  define(
    messages,
    "activity.logged",
    "Something happens at a lead.",
    {
      kinds: need(activityKinds),
      direction: may(direction),
      custom_activity_id: naming(may(id), "custom_activity_type"),
      condition: may(values),
    },
    { object_types: ["activity"], listens: namesOfKinds, matches: isLogged },
  ),
  define(
    messages,
    "email.engagement",
    "An e-mail is sent, received, opened, clicked, answered or bounces.",
    {
      ...events("sent", "received", "replied", "opened", "clicked", "bounced", "unsubscribed"),
      template_id: naming(may(id), "email_template"),
      sequence_id: naming(may(id), "sequence"),
      min_count: may(positive),
      include_machine: may(z.boolean()),
    },
    { object_types: ["activity"] },
  ),
  define(
    messages,
    "sms.received",
    "A text message is received.",
    { number_id: naming(may(id), "phone_number") },
    { object_types: ["activity"] },
  ),
  define(
    messages,
    "call.completed",
    "A call has ended.",
    { direction: may(direction), outcome: may(z.array(label).min(1).max(100)), min_seconds: may(z.int().min(0).max(86_400)) },
    { object_types: ["activity"] },
  ),
  define(
    messages,
    "meeting.event",
    "A meeting is scheduled, held or canceled.",
    events("scheduled", "canceled", "completed", "no_show"),
    {
      object_types: ["activity"],
    },
  ),
  define(
    messages,
    "conversation.message",
    "A message is added to a conversation.",
    { channel: may(z.array(label).min(1).max(20)), direction: may(direction), first_only: may(z.boolean()) },
    { object_types: ["conversation"] },
  ),
  define(messages, "inbox.prospect", "A prospect is created or converted.", events("created", "converted", "dismissed")),
  define(messages, "sequence.event", "A contact's subscription to a sequence changes.", {
    sequence_id: naming(may(id), "sequence"),
    ...events("subscribed", "step_done", "replied", "finished", "failed", "paused"),
  }),
];
