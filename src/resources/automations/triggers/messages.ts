// Triggers that mail, texts, calls, meetings and other messages start.
import { z } from "zod";
import { activityKinds, defining, direction, id, label, may, naming, need, positive, values } from "../catalog.ts";
import {
  isCall,
  isEngagement,
  isLogged,
  isOfSequence,
  namesFor,
  namesOfEngagement,
  namesOfKinds,
  namesOfMessages,
  namesOfSequence,
} from "../event_matching.ts";
import { conversationOf, subscribedContact, textsTo } from "../subjects.ts";
import { type Config, events, type TriggerType } from "./trigger_type.ts";

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
    { object_types: ["activity", "contact"], listens: namesOfEngagement, matches: isEngagement, lacks: unlessCounted },
  ),
  define(
    messages,
    "sms.received",
    "A text message is received.",
    { number_id: naming(may(id), "phone_number") },
    { object_types: ["activity"], listens: () => ["activity.sms.received"], about: textsTo },
  ),
  define(
    messages,
    "call.completed",
    "A call has ended.",
    { direction: may(direction), outcome: may(z.array(label).min(1).max(100)), min_seconds: may(z.int().min(0).max(86_400)) },
    { object_types: ["activity"], listens: () => ["activity.call.completed"], matches: isCall },
  ),
  define(
    messages,
    "meeting.event",
    "A meeting is scheduled, held or canceled.",
    events("scheduled", "canceled", "completed", "no_show"),
    {
      object_types: ["activity"],
      listens: ({ event }) => namesFor("activity.meeting", event),
      lacks: ({ event }) => (event === "no_show" ? "has no_show: meetings have no such state; give them an outcome" : null),
    },
  ),
  define(
    messages,
    "conversation.message",
    "A message is added to a conversation.",
    { channel: may(z.array(label).min(1).max(20)), direction: may(direction), first_only: may(z.boolean()) },
    { object_types: ["conversation"], listens: namesOfMessages, about: conversationOf },
  ),
  define(
    messages,
    "inbox.prospect",
    "A prospect is created, converted or dismissed.",
    events("created", "converted", "dismissed"),
    {
      object_types: ["inbox_prospect"],
      listens: ({ event }) => namesFor("inbox_prospect", event),
    },
  ),
  define(
    messages,
    "sequence.event",
    "A contact's subscription to a sequence changes.",
    {
      sequence_id: naming(may(id), "sequence"),
      ...events("subscribed", "step_done", "replied", "finished", "failed", "paused"),
    },
    { object_types: ["contact"], listens: namesOfSequence, matches: isOfSequence, about: subscribedContact },
  ),
];

/** Only opens and clicks happen again and again. */
function unlessCounted({ event, min_count }: Config): string | null {
  return min_count != null && event !== "opened" && event !== "clicked"
    ? "has min_count, which goes with opened and clicked"
    : null;
}
