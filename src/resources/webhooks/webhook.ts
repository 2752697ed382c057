// A webhook: an address that events are sent to. The worker sends them.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import {
  boolean,
  choice,
  computed,
  formed,
  input,
  integer,
  json,
  once,
  related,
  text,
  texts,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql, wireTime } from "../../db/sql.ts";
import { parseUrl } from "../../values/url.ts";
import { type EventFilter, filterTypes, problemOf } from "../events/event_filter.ts";
import { backlogMost, backlogOf } from "./backlog.ts";
import { concurrencyMost } from "./schedule.ts";

const eventsMax = 300;
const coalesceMost = 60_000;
const health = ["healthy", "failing", "paused"] as const;
const pauseReasons = ["api", "backlog", "failures", "gone", "creator"] as const;
const instant = z.iso.datetime().nullable();
/** The `Seen` of the feed. */
const seen = z.strictObject({ epoch: z.string(), snapshot: z.string() });

const lastFailure = z.strictObject({
  at: z.iso.datetime(),
  http_status: z.int().nullable(),
  error_class: z.string(),
  error: z.string(),
});

export const webhook = resource({
  name: "webhook",
  prefix: "whk",
  doc: "A webhook: an address that gets events as they happen.",
  // Sending events about webhooks to webhooks could go on forever.
  event: null,
  mcp: false,
  narrows: true,
  visible: ownOrAdmin,
  fields: {
    url: formed(parseUrl, "must be an address that begins with http:// or https://", {
      required: true,
      normalize: publicOnly,
      doc: "The address that events are sent to, by POST.",
    }),
    events: {
      ...texts({ required: true, doc: "Names of events, such as `lead.created`; `lead.*` and `*` for all of a kind and all." }),
      schema: givenEvents(),
    },
    event_filters: json(givenFilters(), {
      doc: "For a name among `events`: a filter for these events. Without one, all of them are sent.",
    }),
    include_bulk: boolean({
      default: true,
      doc: "False leaves out changes by bulk actions and imports. The events about the bulk action or import itself are still sent.",
    }),
    description: text({ max: 1000, doc: "The purpose." }),
    status: choice(["active", "paused"], {
      default: "active",
      doc: "Nothing is sent while it is paused. Set active again it goes on from where it was, unless `skip_backlog` is given.",
    }),
    skip_backlog: input(z.boolean(), {
      doc: "With `status: active`: drops events from the pause, and open retries.",
    }),
    ordering: choice(["none", "object"], {
      default: "none",
      doc: "`object` sends the events of one record one after the other: while one fails, later ones of the record wait.",
    }),
    coalesce_ms: integer({
      min: 0,
      max: coalesceMost,
      default: 0,
      doc: "Updates of a record within this many milliseconds are sent as one: the latest event, with the fields that changed in any of them and their values before the first. 0 sends each by itself.",
    }),
    verify_ssl: boolean({ default: true, doc: "False accepts any certificate of the receiver." }),
    signature_key: once("The key that deliveries are signed with, by the Standard Webhooks scheme."),
    health_status: computed(["status", "failing_since"], z.enum(health), healthOf, "`failing` while deliveries fail."),
    latest_error: text({ readOnly: true, max: 1000, doc: "Why the latest delivery failed." }),
    health: related(
      z.strictObject({
        consecutive_failures: z.int(),
        last_success_at: instant,
        last_failure: lastFailure.nullable(),
        backlog: z
          .int()
          .describe(
            `The number of events still to be sent, counted by their names alone: open deliveries, and matching ones among the next ${backlogMost} events of the log. ${backlogMost} stands for that many or more.`,
          ),
        oldest_pending_at: instant.describe("When the oldest open delivery was created."),
        next_probe_at: instant.describe(
          "Set while only probes are sent: when the next single delivery tests whether the receiver is back.",
        ),
      }),
      healthObject,
      "The recent results of its deliveries.",
      { always: true },
    ),
    pause_reason: choice(pauseReasons, {
      readOnly: true,
      doc: "Why it is paused: by a member (`api`), because every delivery failed for 72 hours (`failures`), because the receiver returned 410 (`gone`), or because its creator is no longer an active member (`creator`).",
    }),
    counters: computed(
      ["pending", "delivered", "failed"],
      z.strictObject({ pending: z.int(), delivered: z.int(), failed: z.int() }),
      (pending: number, delivered: number, failed: number) => ({ pending, delivered, failed }),
      "How many deliveries are retried, succeeded, and were given up.",
    ),
    sealed_signature_key: text({ readOnly: true, hidden: true, filled: true }),
    sealed_previous_key: text({ readOnly: true, hidden: true }),
    previous_key_until: timestamp({ readOnly: true, hidden: true }),
    failing_since: timestamp({ readOnly: true, hidden: true }),
    failures_in_row: integer({ readOnly: true, hidden: true, default: 0 }),
    last_success_at: timestamp({ readOnly: true, hidden: true }),
    last_failure: json(lastFailure, { readOnly: true, hidden: true }),
    oldest_pending_at: timestamp({ readOnly: true, hidden: true }),
    probe_at: timestamp({ readOnly: true, hidden: true }),
    probes: integer({ readOnly: true, hidden: true, default: 0 }),
    concurrency: integer({ readOnly: true, hidden: true, default: concurrencyMost }),
    // Its place in the log. Writing null places it at the present end, after everything that is committed.
    cursor_epoch: integer({ readOnly: true, hidden: true }),
    cursor_position: integer({ readOnly: true, hidden: true }),
    cursor_seq: integer({ readOnly: true, hidden: true, default: 0 }),
    begins_after: json(seen, { readOnly: true, hidden: true, doc: "Events of this snapshot are not sent." }),
    pending: integer({ readOnly: true, hidden: true, default: 0 }),
    delivered: integer({ readOnly: true, hidden: true, default: 0 }),
    failed: integer({ readOnly: true, hidden: true, default: 0 }),
  },
});

/** A requested event: its name, or both parts of it with its own filter. */
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

/** Members see and change their own webhooks. Members who manage the organization see all. */
export function ownOrAdmin(ctx: Ctx, alias: string): Sql | null {
  return may(ctx, "manage_organization") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`;
}

function publicOnly(url: string, ctx: Ctx): string {
  if (!ctx.settings.addresses.allowsHost(url)) throw invalid({ "": ctx.settings.addresses.words });
  return url;
}

function healthObject(alias: string, ctx: Ctx): Sql {
  const w = name(alias);
  return sql`json_build_object(
    'consecutive_failures', ${w}.failures_in_row, 'last_success_at', ${wireTime(sql`${w}.last_success_at`)}, 'last_failure', ${w}.last_failure,
    'backlog', ${backlogOf(alias, ctx)}, 'oldest_pending_at', ${wireTime(sql`${w}.oldest_pending_at`)},
    'next_probe_at', ${wireTime(sql`${w}.probe_at`)})`;
}

function healthOf(status: string, failingSince: string | null): (typeof health)[number] {
  if (status === "paused") return "paused";
  return failingSince === null ? "healthy" : "failing";
}
