// The words of a message that a step writes. A literal text is a template too: it may name the recipient, as the templates of e-mails
// do, and what steps name.
import { invalid, reasonsOf } from "../../../core/errors.ts";
import type { Row } from "../../../core/resource.ts";
import { findRecord } from "../../../records/records.ts";
import { lead } from "../../leads/lead.ts";
import { fillEmail, fillText } from "../../templates/fill.ts";
import { isObject } from "../config.ts";
import { failureOf, faultOf, StepFailure } from "../step_failure.ts";
import type { Call } from "./step.ts";
import type { Person } from "./whom.ts";

/** Whom the words are for. */
export interface Reader {
  at: Row<typeof lead>;
  person: Person | null;
}

export async function readerAt({ ctx }: Call, leadId: string | null, person: Person | null): Promise<Reader> {
  const at = leadId === null ? null : await findRecord(ctx, lead, leadId);
  if (at === null) throw new StepFailure("unresolved_ref", "config", "There is no lead that the message could be filed at");
  return { at, person };
}

/** What the author wrote, as a template. A reference stands for its value, whatever that looks like. */
export function templateOf({ written }: Call, key: string): string {
  const words = written[key];
  if (typeof words === "string") return words;
  if (isObject(words) && typeof words.$template === "string") return words.$template;
  return words == null ? "" : `{{ filled.${key} }}`;
}

const valuesFor = ({ facts, config }: Call) => ({ ...facts, filled: config });

export const filledText = (call: Call, key: string, { at, person }: Reader): Promise<string> =>
  fillText(call.ctx, templateOf(call, key), at, person, valuesFor(call));

const isHtml = (source: string): boolean => /<[a-z][^>]*>/i.test(source);

/** Text stays text. In HTML, values are escaped. */
export async function filledMail(call: Call, words: { subject: string; body: string }, { at, person }: Reader) {
  const values = valuesFor(call);
  if (isHtml(words.body)) {
    const { subject, body } = await fillEmail(call.ctx, words, at, person, values);
    return { subject, body_html: body };
  }
  const { subject } = await fillEmail(call.ctx, { ...words, body: "" }, at, person, values);
  return { subject, body_text: await fillText(call.ctx, words.body, at, person, values) };
}

const codes: Record<string, string> = {
  template_id: "template_failed",
  subject: "template_failed",
  body: "template_failed",
  text: "template_failed",
  sender: "connected_account_missing",
  email_account_id: "connected_account_missing",
  send_as_id: "connected_account_missing",
  sender_account_id: "connected_account_missing",
  sender_email: "connected_account_missing",
  local_phone: "phone_number_missing",
};

/** Where the fields of a message name who gets it. */
const recipients = /^(to|cc|bcc|remote_phone|contact_id)\b/;

/** What is refused of a message, somebody has to mend: the run is held, and goes on with the same step afterwards. */
export async function mendable<T>({ written }: Pick<Call, "written">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = failureOf(error);
    if (failure?.class !== "rejected") throw error;
    const [place = ""] = Object.keys(reasonsOf(error));
    const kind = recipients.test(place) ? faultOf([written.to, written.cc, written.bcc, written.contact]) : "config";
    throw new StepFailure(codes[place] ?? "config_invalid", kind, failure.message);
  }
}

/** No text leaves that is longer. */
export function checkLength(text: string, most: number): void {
  if (text.length > most) throw invalid({ text: `is ${text.length} characters long: ${most} are the most` });
}
