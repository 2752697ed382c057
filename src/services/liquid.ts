// Templates that people write: `Hi {{ contact.first_name | default: "there" }}`. A bounded Liquid: the tags and filters listed
// here are allowed, the rest of the language is removed. A template reads no files, sees only the values it is given and no
// prototypes, and is stopped when it uses too much time, memory or output.
import { randomInt } from "node:crypto";
import {
  Context,
  type Emitter,
  Liquid,
  LiquidError,
  Output,
  Parser,
  type Template,
  type TopLevelToken,
  toValueSync,
} from "liquidjs";
import { LRUCache } from "lru-cache";
import { escapeHtml } from "../values/html.ts";

/** The longest template that is read. */
const sourceMax = 100_000;
/** The most tags and values in one template, which also limits nesting. */
const tagsMax = 500;
/** The most characters in one tag. Reading a long tag takes time that no other limit bounds. */
const tagMax = 1000;
/** The most characters that one rendering may write. */
const outputMax = 500_000;
/** Milliseconds. An ordinary template takes a tenth of one. */
const timeMax = 200;
/** The most characters and list elements that one rendering may create on the way. */
const memoryMax = 1_000_000;

const tags = ["assign", "break", "case", "comment", "continue", "for", "if", "raw", "unless"];

const filters = (
  "append capitalize default downcase lstrip prepend remove replace rstrip strip strip_html truncate truncatewords upcase url_encode " +
  "date abs at_least at_most ceil divided_by floor minus modulo plus round times " +
  "first join last reverse size slice sort split uniq"
).split(" ");

/** These stay in the text until the message is sent, because the link is different for each recipient. */
const lasting = { tag: "{% unsubscribe %}", link: "{{ unsubscribe_link }}" };

export type TemplateForm = "html" | "text";

export interface Rendering {
  text: string;
  /** Values in the template that are unknown or empty, in the order of their use. */
  missing: string[];
}

/** Why a template cannot be read or rendered, in plain words. */
export class TemplateError extends Error {}

/** Why a template cannot be read; null when it can. */
export function problemOfTemplate(source: string): string | null {
  try {
    parsed(source);
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/**
 * The values that a template takes, each as the words of its path, without those that it names itself by `assign` and `for`. A path ends
 * where a word follows from another value. Null when it cannot be read.
 */
export function namesInTemplate(source: string): string[][] | null {
  try {
    const found = engine.globalVariableSegmentsSync(parsed(source));
    return found.map((words) => {
      const open = words.findIndex((one) => typeof one !== "string");
      return words.slice(0, open < 0 ? words.length : open) as string[];
    });
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

/**
 * Fills in a template. In `html` every value is escaped. A value is never read as a tag, neither here nor when the message is
 * sent.
 */
export function renderTemplate(source: string, values: Readonly<Record<string, unknown>>, form: TemplateForm): Rendering {
  const templates = parsed(source);
  // While values are filled in, random marks that nobody can guess stand for the parts that stay.
  const [tag, link] = [mark(), mark()];
  const scope = Object.assign(Object.create(null), values, { unsubscribe_link: link });
  const context = new Context(scope, engine.options, { sync: true });
  const missing = new Set<string>();
  context.setRegister("missing", missing);
  context.setRegister("form", form);
  context.setRegister("unsubscribe", tag);
  const emitter = new BoundedEmitter();
  explained(() => toValueSync(engine.renderer.renderTemplates(templates, context, emitter)));
  const text = withoutTags(emitter.buffer).replaceAll(tag, lasting.tag).replaceAll(link, lasting.link);
  return { text, missing: [...missing] };
}

const mark = (): string => `\uE000${randomInt(2 ** 47)}\uE001`;

/**
 * Anything in the rendered text that looks like one of these two came from a value. An invisible character between its braces
 * makes it plain text.
 */
const withoutTags = (text: string): string =>
  text.replace(/\{(?=\{-?\s*unsubscribe_link\s*-?\}\}|%-?\s*unsubscribe\s*-?%\})/g, "{\u2060");

// --- reading ---

const engine = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  dynamicPartials: false,
  templates: {},
  timezoneOffset: 0,
  parseLimit: sourceMax,
  renderLimit: timeMax,
  memoryLimit: memoryMax,
});
for (const name of Object.keys(engine.tags)) if (!tags.includes(name)) delete engine.tags[name];
for (const name of Object.keys(engine.filters)) if (!filters.includes(name)) delete engine.filters[name];
engine.registerTag("unsubscribe", { render: (context: Context) => context.getRegister("unsubscribe") as string });

/** Parsed templates by their source. Parsing takes ten times as long as rendering. */
const kept = new LRUCache<string, Template[]>({
  max: 1000,
  maxSize: 10_000_000,
  sizeCalculation: (_, source) => source.length + 1,
});

function parsed(source: string): Template[] {
  let templates = kept.get(source);
  if (templates === undefined) {
    if (source.length > sourceMax) throw new TemplateError(`must be ${sourceMax} characters or fewer`);
    checkTags(source);
    templates = explained(() => new ReadingParser(engine).parse(source));
    kept.set(source, templates);
  }
  return templates;
}

function checkTags(source: string): void {
  const begins = [...source.matchAll(/\{[{%]/g)];
  if (begins.length > tagsMax) throw new TemplateError(`must have ${tagsMax} tags or fewer`);
  for (const { 0: mark, index } of begins) {
    const end = source.indexOf(mark === "{{" ? "}}" : "%}", index);
    if (end - index > tagMax) throw new TemplateError(`must not have a tag of more than ${tagMax} characters`);
  }
}

/** Reads `{{ … }}` as a value to be escaped, which is reported when it is missing. */
class ReadingParser extends Parser {
  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): ReturnType<Parser["parseToken"]> {
    const template = super.parseToken(token, remaining);
    if (template instanceof Output) template.render = showing(template);
    return template;
  }
}

function showing(output: Output): Output["render"] {
  const name = output.token.input
    .slice(...output.token.contentRange)
    .split("|")[0]!
    .trim();
  return function* (context: Context, emitter: Emitter) {
    const text = textOf(yield output.value.value(context, false) as any);
    if (text === "") (context.getRegister("missing") as Set<string>).add(name.slice(0, 100));
    emitter.write(context.getRegister("form") === "html" ? escapeHtml(text) : text);
  } as Output["render"];
}

/** Text, numbers and lists of them have a text form. Other values have none. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter((one) => typeof one !== "object").join(", ");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

// --- bounds ---

class BoundedEmitter implements Emitter {
  buffer = "";

  write(text: unknown): void {
    this.buffer += text;
    if (this.buffer.length > outputMax) throw new TemplateError(`writes more than ${outputMax} characters`);
  }
}

/** Every error within the language is the template's own fault. */
function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new TemplateError(reasonOf(error));
  }
}

function reasonOf(error: Error): string {
  const cause = (LiquidError.is(error) && error.originalError) || error;
  if (cause instanceof TemplateError) return cause.message;
  if (/call stack/.test(cause.message)) return "has tags too deep within each other";
  const limit = /^(parse length|memory alloc|template render) limit exceeded/.exec(cause.message)?.[1];
  if (limit === "memory alloc") return "takes too much memory to render";
  if (limit === "template render") return "takes too long to render";
  if (limit === "parse length") return `must be ${sourceMax} characters or fewer`;
  return `cannot be read: ${cause.message.slice(0, 200).replace(/^undefined /, "unknown ")}${lineOf(error)}`;
}

function lineOf(error: Error): string {
  return LiquidError.is(error) && error.token ? `, line ${error.token.getPosition()[0]}` : "";
}
