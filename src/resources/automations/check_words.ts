// Templates are valid before an automation is published.
import type { FieldErrors } from "../../core/errors.ts";
import { problemOfTemplate } from "../../services/liquid.ts";
import { isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import { wordsOfMessages } from "./literal_words.ts";

/** Templates anywhere in a value must be valid. */
export function checkTemplates(errors: FieldErrors, value: unknown, at: string): void {
  if (Array.isArray(value)) value.forEach((one, i) => checkTemplates(errors, one, `${at}.${i}`));
  if (!isObject(value)) return;
  for (const [key, one] of Object.entries(value)) {
    const problem = key === "$template" && typeof one === "string" ? problemOfTemplate(one) : null;
    if (problem !== null) errors[`${at}.${key}`] = problem;
    else checkTemplates(errors, one, `${at}.${key}`);
  }
}

/** The key that runs share is a word or a template. */
export function checkKey(errors: FieldErrors, { concurrency }: Plan["settings"]): void {
  const problem = concurrency?.key === undefined ? null : problemOfTemplate(concurrency.key);
  if (problem !== null) errors["settings.concurrency.key"] = problem;
}

/** The words of messages are templates, even where they do not say so. */
export function checkWords(errors: FieldErrors, config: Record<string, unknown>, at: string): void {
  for (const key of wordsOfMessages) {
    const words = config[key];
    const problem = typeof words === "string" ? problemOfTemplate(words) : null;
    if (problem !== null) errors[`${at}.${key}`] = problem;
  }
}
