// `query=` of lists: the text query as a filter, which may also order the list.
import type { Ctx } from "../core/context.ts";
import { invalid, reasonsOf } from "../core/errors.ts";
import type { Resource } from "../core/resource.ts";
import type { Filter, OrderKey } from "../core/search.ts";
import { hint } from "../values/reasons.ts";
import { attributeNames } from "./attributes.ts";
import { find } from "./find.ts";
import { orderBy } from "./order.ts";
import { subjectOf } from "./subject.ts";
import { parseTextQuery, type TextQuery, TextQueryError } from "./text_query.ts";
import { countFields, fieldNamed } from "./vocabulary.ts";

/** Words, `field:value`, `and`, `or`, `not`, parentheses, `contact(…)`, `sort:-field`. */
export function textQuery(resource: string): Filter {
  const ask = (ctx: Ctx, value: string, wanted: Parameters<typeof find>[3]) =>
    aboutText(() => find(ctx, ctx.registry.resource(resource)!, parse(value).query, wanted));
  return {
    doc: 'Only records that a text query finds: words, "a phrase", `field:value`, `field>=value`, `field:1..5`, `field in (a, b)`, `not`, `or`, parentheses, `has:calls`, `calls>3`, `contact(name:x)`, `slice:1/3`, `sort:-field`. In text `:` finds the beginnings of words, and `=` the whole.',
    sql: async (ctx, value, alias, whole) => (await ask(ctx, value, { alias, whole })).condition,
    newest: (ctx, value, newest) => ask(ctx, value, { newest }),
    // Most have no sort, and each is parsed once more for its condition.
    order: (ctx, value) => (/sort/i.test(value) ? orderOf(ctx, ctx.registry.resource(resource)!, parse(value)) : null),
  };
}

/** A text query on the record that `type` names, such as `lead_query` on opportunities. */
export const relatedTextQuery = (resource: string, type: string): Filter => ({
  doc: `Only records whose ${type} a text query finds.`,
  async sql(ctx, value, alias, whole) {
    const related_query = parse(value).query;
    const query = {
      type: "has_related",
      this_object_type: null,
      related_object_type: type,
      related_query,
      negate: false,
    } as const;
    const found = await aboutText(() => find(ctx, ctx.registry.resource(resource)!, query, { alias, whole }));
    return found.condition;
  },
});

function parse(text: string): TextQuery {
  try {
    return parseTextQuery(text);
  } catch (error) {
    if (error instanceof TextQueryError) throw invalid({ "": error.message });
    throw error;
  }
}

/** Every refusal is about the one text, so it names the part of the text instead of a place. */
async function aboutText<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (problem) {
    throw invalid({ "": Object.values(reasonsOf(problem)).join("; ") });
  }
}

function orderOf(ctx: Ctx, of: Resource, { sort }: TextQuery): OrderKey[] | null {
  if (sort.length === 0) return null;
  return sort.map(({ name, direction }) => {
    const field = fieldNamed(subjectOf(ctx, of, "t"), name);
    // Sorting by a status or a member uses the label that people read, and sorting by calls uses their number.
    const labels = field.endsWith("_id") ? [field.replace(/_id$/, "_label"), field.replace(/_id$/, "_name")] : [];
    const keys = [...labels, field, ...countFields(name.toLowerCase())].map((one) => orderBy(ctx, of, one, direction === "desc"));
    return keys.find((key) => key !== null) ?? nothing(ctx, of, name);
  });
}

function nothing(ctx: Ctx, of: Resource, name: string): never {
  const known = attributeNames(ctx, of).filter((one) => orderBy(ctx, of, one, false) !== null);
  throw invalid({ "": `${name} is nothing to sort by${hint(name, known)}` });
}
