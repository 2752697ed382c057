// HTML made of templates, whose values are escaped unless they are HTML themselves.
import { escapeHtml } from "./html.ts";

/** HTML that is ready to be shown. Everything else that is put into a template is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Html | null | readonly Html[];

/** A template of HTML, whose values are escaped unless they are HTML themselves. */
export const html = (texts: TemplateStringsArray, ...values: readonly Part[]): Html =>
  new Html(texts.map((text, i) => text + (i < values.length ? shown(values[i]!) : "")).join(""));

function shown(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map((one) => one.text).join("\n");
}
