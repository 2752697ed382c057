// Applies inbox rules to a message. This is a pure function: the code that received the message runs the returned actions.
import type { Action, ActionType, Condition } from "./rule_grammar.ts";

export interface Rule {
  id: string;
  is_enabled: boolean;
  position: number;
  match: "all" | "any";
  conditions: readonly Condition[];
  exceptions: readonly Condition[];
  actions: readonly Action[];
  stop_processing: boolean;
}

/** The parts of a message that rules check. `sender` and `recipients` contain addresses and names. */
export interface Incoming {
  channel: string;
  sender: readonly string[];
  recipients: readonly string[];
  subject: string;
  body: string;
  has_attachments: boolean;
  is_reply: boolean;
  /** The sender is unknown. */
  unknown_sender: boolean;
  lead_status_id: string | null;
}

/** The result of the rules for a message. For actions that exist only once, the first rule with one decides. */
export interface Outcome {
  /** The rules that matched, in the order of their positions. */
  matched: string[];
  folder_id: string | null;
  copy_to: string[];
  mark_as_read: boolean;
  assigned_to: string | null;
  tags: string[];
  status: "closed" | "snoozed" | null;
  priority: "high" | "medium" | "low" | null;
  forward_to: string[];
  /** The rules that forward it. */
  forwarded_by: string[];
  create_lead: boolean;
  dismiss: boolean;
  delete: boolean;
}

/** Checks the enabled rules in the order of their positions, until a matching rule stops the others. */
export function applyRules(rules: readonly Rule[], message: Incoming): Outcome {
  const outcome = nothing();
  const inOrder = rules.filter((rule) => rule.is_enabled).sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  for (const rule of inOrder) {
    if (!matches(rule, message)) continue;
    outcome.matched.push(rule.id);
    for (const action of rule.actions) carryOut(outcome, action);
    if (does(rule, "forward_to")) outcome.forwarded_by.push(rule.id);
    if (stops(rule)) break;
  }
  return outcome;
}

const stops = (rule: Rule): boolean => rule.stop_processing || does(rule, "stop_processing");

export const does = ({ actions }: Pick<Rule, "actions">, type: ActionType): boolean => actions.some((one) => one.type === type);

/** A condition, and whether the message meets it. */
export type Checked = Condition & { met: boolean };

/** What a rule makes of a message, with the reason. */
export interface Explained {
  rule: Rule;
  result: "matched" | "not_met" | "excepted" | "disabled" | "stopped";
  conditions: Checked[];
  exceptions: Checked[];
}

/** Says of each rule, in the order in which they run, why it matches a message or does not. */
export function explainRules(rules: readonly Rule[], message: Incoming): Explained[] {
  const check = (condition: Condition): Checked => ({ ...condition, met: isMet(condition, message) });
  let isStopped = false;
  return rules
    .toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
    .map((rule) => {
      const [conditions, exceptions] = [rule.conditions.map(check), rule.exceptions.map(check)];
      const excepted = exceptions.some(({ met }) => met);
      const missed = excepted ? "excepted" : "not_met";
      const result = !rule.is_enabled ? "disabled" : isStopped ? "stopped" : matches(rule, message) ? "matched" : missed;
      if (result === "matched" && stops(rule)) isStopped = true;
      return { rule, result, conditions, exceptions };
    });
}

const nothing = (): Outcome => ({
  matched: [],
  folder_id: null,
  copy_to: [],
  mark_as_read: false,
  assigned_to: null,
  tags: [],
  status: null,
  priority: null,
  forward_to: [],
  forwarded_by: [],
  create_lead: false,
  dismiss: false,
  delete: false,
});

function matches({ match, conditions, exceptions }: Rule, message: Incoming): boolean {
  const meets = (condition: Condition) => isMet(condition, message);
  const met = match === "any" ? conditions.some(meets) : conditions.length > 0 && conditions.every(meets);
  return met && !exceptions.some(meets);
}

function carryOut(outcome: Outcome, { type, value }: Action): void {
  const add = (list: string[]) => {
    for (const one of [value].flat()) if (typeof one === "string" && !list.includes(one)) list.push(one);
  };
  if (type === "move_to_folder") outcome.folder_id ??= value as string;
  else if (type === "copy_to_folder") add(outcome.copy_to);
  else if (type === "mark_as_read") outcome.mark_as_read = true;
  else if (type === "assign_to") outcome.assigned_to ??= value as string;
  else if (type === "add_tag") add(outcome.tags);
  else if (type === "set_status") outcome.status ??= value as "closed" | "snoozed";
  else if (type === "set_priority") outcome.priority ??= value as "high" | "medium" | "low";
  else if (type === "forward_to") add(outcome.forward_to);
  else if (type === "create_lead") outcome.create_lead = true;
  else if (type === "dismiss") outcome.dismiss = true;
  else if (type === "delete") outcome.delete = true;
}

// --- conditions ---

/** Bodies of mails can be long, and the important part is at the beginning. */
const bodyMax = 100_000;

function isMet({ field, operator, value }: Condition, message: Incoming): boolean {
  const texts = textsOf(field, message);
  if (texts === null) return flagOf(field, message) === (operator === "not_equals" ? !value : value);
  if (operator === "exists") return texts.some((text) => text !== "") === value;
  const wanted = [value].flat().map((one) => plain(String(one)));
  const some = (test: (text: string, one: string) => boolean) => texts.some((text) => wanted.some((one) => test(text, one)));
  if (operator === "not_equals") return !some((text, one) => text === one);
  if (operator === "not_contains") return !some((text, one) => text.includes(one));
  return some(tests[operator]);
}

const tests: Record<"equals" | "contains" | "starts_with" | "ends_with" | "matches", (text: string, one: string) => boolean> = {
  equals: (text, one) => text === one,
  contains: (text, one) => text.includes(one),
  starts_with: (text, one) => text.startsWith(one),
  ends_with: (text, one) => text.endsWith(one),
  matches: isLike,
};

/** The texts that a field stands for. Null for one that is true or false. */
function textsOf(field: Condition["field"], message: Incoming): string[] | null {
  const { subject, body, channel, lead_status_id } = message;
  const start = () => plain(body.slice(0, bodyMax));
  switch (field) {
    case "sender":
      return message.sender.map(plain);
    case "recipient":
      return message.recipients.map(plain);
    case "subject":
      return [plain(subject)];
    case "body":
      return [start()];
    case "body_or_subject":
      return [plain(subject), start()];
    case "channel":
      return [plain(channel)];
    case "lead_status_id":
      return lead_status_id === null ? [] : [plain(lead_status_id)];
    default:
      return null;
  }
}

const flagOf = (field: Condition["field"], message: Incoming): boolean =>
  message[field as "has_attachments" | "is_reply" | "unknown_sender"];

const plain = (text: string): string => text.toLowerCase().trim();

/**
 * `inv*ce-????`: a star matches any text, a question mark one character. Takes at most the length of the text times that of the
 * pattern.
 */
export function isLike(text: string, pattern: string): boolean {
  let [at, wanted, star, resume] = [0, 0, -1, 0];
  while (at < text.length) {
    if (wanted < pattern.length && pattern[wanted] === "*") {
      star = wanted++;
      resume = at;
    } else if (wanted < pattern.length && (pattern[wanted] === "?" || pattern[wanted] === text[at])) {
      at++;
      wanted++;
    } else if (star >= 0) {
      wanted = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[wanted] === "*") wanted++;
  return wanted === pattern.length;
}
