// Puts the text of a cell into the body of its record.
import type { Ctx } from "../../core/context.ts";
import { bad } from "../../core/errors.ts";
import type { Body } from "./bodies.ts";
import { valueOf } from "./cell_values.ts";
import type { Column, Part } from "./columns.ts";
import { objectIn } from "./nested.ts";
import { pipelineTarget } from "./pipelines.ts";
import type { Word } from "./statuses.ts";
import { takesList } from "./targets.ts";

/** What a row has been read to so far. */
export interface Filled {
  bodies: Record<Part, Body>;
  /** The column of each value, by its part and place: `contact.emails.0`. */
  columns: Map<string, string>;
}

export function put(ctx: Ctx, read: Filled, column: Column, values: readonly (string | number)[]): void {
  const { part, field, target } = column;
  const own = Object.hasOwn(puts, target.target) ? puts[target.target] : undefined;
  for (const value of values) {
    const place = own?.(read.bodies[part], String(value), column, ctx, value) ?? plain(read.bodies[part], value, column, ctx);
    read.columns.set(`${part}.${place}`, column.name);
  }
  if (field === "first_name" || field === "last_name") read.columns.set(`${part}.name`, column.name);
}

function plain(body: Body, given: string | number, column: Column, ctx: Ctx): string {
  const { field, target } = column;
  if (takesList(target)) {
    const values = column.isSplit || typeof given === "number" ? [given] : pieces(given, /[;,\n|]/);
    body[field] = [...(body[field] ?? []), ...values.map((one) => valueOf(target.type, one, column, ctx))];
  } else if (target.multiple && body[field] !== undefined) body[field] = `${body[field]}\n\n${given}`;
  else body[field] = valueOf(target.type, given, column, ctx);
  return field;
}

/** Puts a text, or what is given as a number, into a body, and returns its place. */
type Put = (body: Body, text: string, column: Column, ctx: Ctx, given: string | number) => string;

const listed =
  (field: string, member: string): Put =>
  (body, text, column, ctx) => {
    const list: object[] = (body[field] ??= []);
    const first = list.length;
    for (const one of column.isSplit ? [text] : pieces(text, field === "phones" ? /[;\n|]/ : /[;,\n|]/))
      list.push(
        objectIn(one, column) ?? {
          [member]: valueOf(column.target.type, one, column, ctx),
          ...(column.pointType !== null && { type: column.pointType }),
        },
      );
    return list.length - first === 1 ? `${field}.${first}` : field;
  };

const objects: Put = (body, text, column) => {
  const one = objectIn(text, column) ?? bad("must be a list of objects, as JSON has them");
  (body[column.field] ??= []).push(one);
  return column.field;
};

const addressLine: Put = (body, text, { field }) => {
  (body.addresses ??= [{}])[0][field] = text;
  return `addresses.0.${field}`;
};

/** What several columns say about it is weighed when all are read. */
const statusWord: Put = (body, text, { name }) => {
  ((body.status_words ??= []) as Word[]).push({ column: name, text });
  return "status_id";
};

const lowered: Put = (body, text, { field }) => {
  body[field] = text.toLowerCase();
  return field;
};

/** Targets that are not simply a field of their record. */
const puts: Readonly<Record<string, Put>> = {
  email: listed("emails", "email"),
  phone: listed("phones", "phone"),
  "contact.email": listed("emails", "email"),
  "contact.phone": listed("phones", "phone"),
  "contact.url": listed("urls", "url"),
  addresses: objects,
  "contact.contacts": objects,
  ...Object.fromEntries(["address_1", "address_2", "city", "state", "zipcode", "country"].map((one) => [one, addressLine])),
  status: statusWord,
  owner: (body, text, column, ctx) => {
    body.owner_id = valueOf("user", text, column, ctx);
    return "owner_id";
  },
  "opportunity.status": statusWord,
  [pipelineTarget]: (body, text, { name }) => {
    body.pipeline_word = { column: name, text } satisfies Word;
    return "pipeline";
  },
  "opportunity.confidence": (body, _, column, ctx, given) => {
    const share = column.isShare ? Number(valueOf("number", given, column, ctx)) : null;
    body.confidence = share === null ? valueOf("integer", given, column, ctx) : Math.round(share * 100);
    return "confidence";
  },
  "opportunity.value_period": (body, text, column) => {
    body.value_period = periods.get(text.toLowerCase().replaceAll(/[^a-z]/g, "")) ?? bad("must be one_time, monthly or annual");
    return column.field;
  },
  "opportunity.currency": (body, text) => {
    body.value_currency = text.toUpperCase();
    return "value_currency";
  },
  "product.currency": (body, text) => {
    body.currency = text.toUpperCase();
    return "currency";
  },
  "task.priority": lowered,
};

const periods: ReadonlyMap<string, string> = new Map([
  ...["onetime", "once"].map((word) => [word, "one_time"] as const),
  ...["monthly", "month", "permonth"].map((word) => [word, "monthly"] as const),
  ...["annual", "annually", "yearly", "year", "peryear"].map((word) => [word, "annual"] as const),
]);

/** The values of a list. One in quotes, as exports write it, may contain what else is between values. */
const pieces = (text: string, between: RegExp): string[] =>
  text
    .split(new RegExp(`(?<=^|${between.source})(\\s*"(?:[^"]|"")*"\\s*)(?=$|${between.source})|${between.source}`))
    .map((one) => (one ?? "").trim().replace(/^"(.*)"$/s, (_, inner: string) => inner.replaceAll('""', '"')))
    .filter((one) => one !== "");
