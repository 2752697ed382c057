// Literal text that looks like a template. Only the words of messages are filled in where they do not say that they are templates.
import { isDynamic, isObject } from "./config.ts";
import { type Finding, warning } from "./findings.ts";
import type { Graph } from "./graph_shape.ts";

/** Of the steps that write messages: those members of the config that are templates anyhow. */
export const wordsOfMessages = ["subject", "body", "text"] as const;
const messages: ReadonlySet<string> = new Set(["email.send", "email.draft", "sms.send", "message.send"]);

/** Whether a member of a step's config is words of a message. */
export const isOfMessage = (type: string, key: string): boolean =>
  messages.has(type) && (wordsOfMessages as readonly string[]).includes(key);

export const warningsOfLiteralWords = ({ steps }: Graph): Finding[] =>
  Object.entries(steps).flatMap(([id, { type, config }]) =>
    Object.entries(config).flatMap(([key, value]) =>
      isOfMessage(type, key) && typeof value === "string" ? [] : warningsWithin(value, `graph.steps.${id}.config.${key}`),
    ),
  );

function warningsWithin(value: unknown, at: string): Finding[] {
  if (typeof value === "string")
    return /\{\{.*?\}\}|\{%.*?%\}/s.test(value)
      ? [
          warning(
            "template_not_filled",
            at,
            'is taken as it is, with its braces: to fill it in, write {"$template": "…"} around it',
          ),
        ]
      : [];
  if (Array.isArray(value)) return value.flatMap((one, i) => warningsWithin(one, `${at}.${i}`));
  if (!isObject(value) || isDynamic(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => warningsWithin(one, `${at}.${key}`));
}
