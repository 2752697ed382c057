// A webhook: an address that events are sent to. The worker sends them.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { boolean, choice, computed, formed, integer, json, once, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { parseUrl } from "../../values/url.ts";
import { type EventFilter, filterTypes, problemOf } from "./event_filter.ts";

const eventsMax = 300;
const health = ["healthy", "failing", "paused"] as const;

export const webhook = resource({
  name: "webhook",
  prefix: "whk",
  doc: "An address that is told of events as they happen.",
  // Telling webhooks of webhooks could go on forever.
  event: null,
  visible: ownOrAdmin,
  fields: {
    url: formed(parseUrl, "must be an address that begins with http:// or https://", {
      required: true,
      normalize: publicOnly,
      doc: "Where events are sent, by POST.",
    }),
    events: {
      ...texts({ required: true, doc: "Names of events, such as `lead.created`; `lead.*` and `*` for all of a kind and all." }),
      schema: givenEvents(),
    },
    event_filters: json(givenFilters(), {
      doc: "For a name among `events`: which of these events are sent. Others are sent all.",
    }),
    status: choice(["active", "paused"], { default: "active", doc: "Nothing is sent while it is paused." }),
    verify_ssl: boolean({ default: true, doc: "False accepts any certificate of the receiver." }),
    signature_key: once("The key that deliveries are signed with, by the Standard Webhooks scheme."),
    health_status: computed(["status", "failing_since"], z.enum(health), healthOf, "`failing` while deliveries fail."),
    latest_error: text({ readOnly: true, max: 1000, doc: "Why the latest delivery failed." }),
    pause_reason: choice(["api", "backlog", "failures"], {
      readOnly: true,
      doc: "Who paused it: a member, or too much that could not be delivered.",
    }),
    counters: computed(
      ["pending", "delivered", "failed"],
      z.strictObject({ pending: z.int(), delivered: z.int(), failed: z.int() }),
      (pending: number, delivered: number, failed: number) => ({ pending, delivered, failed }),
      "How many events wait, were delivered, and were not.",
    ),
    sealed_signature_key: text({ readOnly: true, hidden: true, filled: true }),
    failing_since: timestamp({ readOnly: true, hidden: true }),
    pending: integer({ readOnly: true, hidden: true, default: 0 }),
    delivered: integer({ readOnly: true, hidden: true, default: 0 }),
    failed: integer({ readOnly: true, hidden: true, default: 0 }),
  },
});

/** An event as it is asked for: its name, or both parts of it with a filter of its own. */
export type GivenEvent = string | { object_type: string; action: string; extra_filter?: EventFilter | null };

function givenEvents() {
  const parts = z.object({ object_type: z.string(), action: z.string(), extra_filter: filter().nullish() });
  return z
    .array(z.union([z.string(), parts]))
    .min(1)
    .max(eventsMax);
}

function givenFilters() {
  return z.record(z.string(), filter()) as unknown as z.ZodType<Record<string, EventFilter>>;
}

function filter() {
  return z.looseObject({ type: z.enum(filterTypes) }).superRefine((given, check) => {
    const problem = problemOf(given);
    if (problem !== null) check.addIssue({ code: "custom", path: [...problem.place], message: problem.reason });
  });
}

/** Members see and change their own; whoever manages the organization, all. */
function ownOrAdmin(ctx: Ctx, alias: string): Sql | null {
  return may(ctx, "manage_organization") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`;
}

function publicOnly(url: string, ctx: Ctx): string {
  if (!ctx.settings.addresses.allowsHost(url)) throw invalid({ "": ctx.settings.addresses.words });
  return url;
}

function healthOf(status: string, failingSince: string | null): (typeof health)[number] {
  if (status === "paused") return "paused";
  return failingSince === null ? "healthy" : "failing";
}
