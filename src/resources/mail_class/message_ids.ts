// Which messages a message is about: those that it answers, and those that it returns.
import { headersIn } from "./header_lines.ts";
import type { Facts } from "./parsed.ts";

const idsMax = 50;
const returned = ["message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers"];

/** Their ids with angle brackets, the most relevant first. */
export function idsAbout(facts: Facts): string[] {
  const brought = [...facts.parts(...returned), copyBelow(facts.text)].map((one) => headersIn(one)[0]?.get("message-id") ?? "");
  const answered = idsIn(facts.header("references")).reverse();
  return [...new Set([...brought.flatMap(idsIn), ...idsIn(facts.header("in-reply-to")), ...answered])].slice(0, idsMax);
}

/** `<a@b> <c@d>` → both. */
const idsIn = (value: string): string[] => [...value.matchAll(/<[^<>\s]{3,500}>/g)].map(([id]) => id);

/** Servers that send no report put the message, or its headers, below a line that says so. */
function copyBelow(text: string): string {
  const line = below.exec(text);
  return line === null ? "" : text.slice(line.index + line[0].length).trimStart();
}

const below =
  /^[ \t]*-{0,10} ?(?:below this line is a copy of the message|this is a copy of the message|the following is a copy of the message|original message (?:headers|follows)|returned message (?:headers|follows)|undelivered message headers|unsent message follows|message headers follow)[^\n]{0,200}\n/im;
