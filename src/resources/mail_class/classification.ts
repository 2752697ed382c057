// The class of a received e-mail, as stored with it: found by a rule, or set by a member.
import { z } from "zod";
import { json } from "../../core/field.ts";
import type { Stopped } from "../sequences/sequence_subscription.ts";
import { mailClasses, type Verdict } from "./classify.ts";
import { failureKinds } from "./failure_kind.ts";

const failure = z.object({
  address: z.string(),
  status: z.string().nullable(),
  kind: z.enum(failureKinds),
  reason: z.string().nullable(),
});

const shown = z.object({
  class: z.enum(mailClasses),
  confidence: z.number(),
  rule: z.string(),
  decided_by: z.enum(["rule", "member"]),
  about: z.array(z.string()).describe("The ids of the messages that it answers or returns."),
  is_absent: z.boolean().describe("For an automatic reply: whether the sender is away."),
  returns_at: z.iso.date().nullable().describe("The first day they are back."),
  failed: z.array(failure).describe("For a bounce: the failed recipients, and why."),
  complained: z.array(z.string()).describe("Who complained, where the provider says it."),
  is_doubted: z
    .boolean()
    .optional()
    .describe("For a bounce or complaint: it does not look as if a mail server sent it, so nothing followed from it."),
  comes_from: z
    .array(z.string())
    .nullable()
    .optional()
    .describe(
      "For a bounce or complaint: the domains that it comes from, as the mailbox's own server found. Empty if it found none; null if it did not say that it looked.",
    ),
});

export type Classification = z.output<typeof shown>;

/** A recipient whose mail bounced. */
export const bounce = z.object({
  ...failure.shape,
  date: z.string(),
  reported_by: z.string().nullable().describe("The e-mail that said so, where it was kept."),
});

/** The state of subscriptions before a message stopped them. */
export const classEffects = z.object({ ways: z.array(z.custom<Stopped>()) });

const day = z.iso.date({ error: "must be a date such as 2026-01-02" });

/** What a member may set: `opt_out`, or `{class, returns_at}`. */
const given = z.union([
  z.enum(mailClasses).transform((word) => ({ class: word })),
  z.object({ class: z.enum(mailClasses), returns_at: day.nullable().optional() }),
]);

export const classification = () =>
  json(given as unknown as z.ZodType<Classification>, {
    output: shown,
    normalize: byMember,
    doc: "For a received e-mail: its class, the rule that decided, and how sure it is. Set another `class` to correct it: the effects of the first one are undone.",
  });

const empty = { about: [], is_absent: false, returns_at: null, failed: [], complained: [], is_doubted: false };

export const byRule = (verdict: Verdict): Classification => ({ ...empty, ...verdict, decided_by: "rule" });

/** For a message that somebody logged without a class. */
export const writtenByHand: Classification = { ...empty, class: "human", confidence: 1, rule: "logged", decided_by: "member" };

function byMember({ class: word, returns_at = null }: z.output<typeof given> & { returns_at?: string | null }): Classification {
  const is_absent = word === "auto_reply";
  return { ...empty, class: word, confidence: 1, rule: "manual", decided_by: "member", is_absent, returns_at };
}

/** The class of an e-mail after a correction. Other values that are known stay. */
export const corrected = (before: Classification | null, said: Classification): Classification =>
  before === null ? said : { ...before, ...said, about: before.about, failed: before.failed, complained: before.complained };

/** They mean the same. */
export const agree = (before: Classification | null, said: Classification): boolean =>
  before !== null && before.class === said.class && (before.returns_at === said.returns_at || said.class !== "auto_reply");
