// Compares searches with the same filter in JavaScript.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../../test/support/given.ts";
import { words } from "./words.ts";

const vocabulary = ["acme", "Äcme", "corp", "west", "coast", "zenith", "paris", "o'brien", "北京", "x-ray"];
const tags = ["Hot", "Cold", "VIP"];
const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}`;

const phrase = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });

interface Person {
  name: string;
  title: string | null;
}

/** A lead as the property knows it. */
interface Known {
  id: string;
  name: string;
  description: string | null;
  mrr: number | null;
  mine: boolean;
  tags: string[];
  number: number | undefined;
  text: string | undefined;
  several: string[] | undefined;
  date: string | undefined;
  flag: boolean | undefined;
  people: Person[];
}

interface Fields {
  number: string;
  text: string;
  several: string;
  date: string;
  flag: string;
}

async function fieldsOf(acme: Workspace): Promise<Fields> {
  const define = async (type: string, extra = {}) => (await acme.customField("lead", { type, ...extra })).id;
  return {
    number: await define("number"),
    text: await define("text"),
    several: await define("choices", { choices: ["a", "b", "c"], accepts_multiple_values: true }),
    date: await define("date"),
    flag: await define("boolean"),
  };
}

const anyLead: fc.Arbitrary<Omit<Known, "id">> = fc.record({
  name: phrase,
  description: fc.option(phrase),
  mrr: fc.option(fc.integer({ min: 0, max: 5 })),
  mine: fc.boolean(),
  tags: fc.subarray(tags),
  number: maybe(fc.integer({ min: -3, max: 3 })),
  text: maybe(phrase),
  several: maybe(fc.subarray(["a", "b", "c"], { minLength: 1 })),
  date: maybe(fc.integer({ min: 1, max: 9 }).map(day)),
  flag: maybe(fc.boolean()),
  people: fc.array(fc.record({ name: phrase, title: fc.option(phrase) }), { maxLength: 2 }),
});

async function create(acme: Workspace, fields: Fields, given: Omit<Known, "id">): Promise<Known> {
  const { mine, people, number, text, several, date, flag, ...own } = given;
  const custom = { number, text, several, date, flag };
  const { id } = await acme.lead({
    ...own,
    owner_id: mine ? acme.userId : null,
    contacts: people,
    ...Object.fromEntries(Object.entries(custom).map(([key, value]) => [`custom.${fields[key as keyof Fields]}`, value])),
  });
  return { id, ...given };
}

// --- the same filter twice ---

/** A node, and the function that it means. */
interface Case<T> {
  node: object;
  holds: (record: T) => boolean;
}

const modes = {
  full_words: (sought: string[], text: string[]) => sought.every((word) => text.includes(word)),
  beginning_of_words: (sought: string[], text: string[]) => sought.every((word) => text.some((one) => one.startsWith(word))),
  phrase: (sought: string[], text: string[]) => text.some((_, at) => sought.every((word, i) => text[at + i] === word)),
};
type Mode = keyof typeof modes;

const hasText = (mode: Mode, value: string, text: string | null | undefined) =>
  text != null && words(value).length > 0 && modes[mode](words(value), words(text));

const sought = fc.oneof(
  phrase,
  fc.constantFrom("ac", "acm", "wes", "zen par", "we", "zeni", "brien", "ray", "京", "nothing", "&"),
);
const anyMode = fc.constantFrom<Mode>("full_words", "beginning_of_words", "phrase");

const regular = (field_name: string) => ({ type: "regular_field", field_name });
const condition = <T>(field: object, given: object, holds: (record: T) => boolean): Case<T> => ({
  node: { type: "field_condition", field, condition: given },
  holds,
});

const textOn = <T>(field: object, of: (record: T) => string | null | undefined): fc.Arbitrary<Case<T>> =>
  fc
    .tuple(anyMode, sought)
    .map(([mode, value]) => condition(field, { type: "text", mode, value }, (record) => hasText(mode, value, of(record))));

const rangeOn = <T>(field: object, of: (record: T) => number | null | undefined): fc.Arbitrary<Case<T>> =>
  fc
    .record({
      gt: maybe(fc.integer({ min: -3, max: 5 })),
      gte: maybe(fc.integer({ min: -3, max: 5 })),
      lt: maybe(fc.integer({ min: -3, max: 5 })),
      lte: fc.integer({ min: -3, max: 5 }),
    })
    .map(({ gt, gte, lt, lte }) =>
      condition(field, { type: "number_range", gt, gte, lt, lte }, (record) => {
        const value = of(record);
        if (value == null) return false;
        return (
          (gt === undefined || value > gt) &&
          (gte === undefined || value >= gte) &&
          (lt === undefined || value < lt) &&
          value <= lte
        );
      }),
    );

const existsOn = <T>(field: object, of: (record: T) => unknown): fc.Arbitrary<Case<T>> =>
  fc.constant(condition(field, { type: "exists" }, (record) => of(record) != null));

function leaves(acme: Workspace, fields: Fields): fc.Arbitrary<Case<Known>> {
  const custom = (key: keyof Fields) => ({ type: "custom_field", custom_field_id: fields[key] });
  const person: fc.Arbitrary<Case<Person>> = fc.oneof(
    textOn<Person>(regular("name"), (one) => one.name),
    textOn<Person>(regular("title"), (one) => one.title),
    existsOn<Person>(regular("title"), (one) => one.title),
  );
  return fc.oneof(
    textOn<Known>(regular("name"), (lead) => lead.name),
    textOn<Known>(regular("description"), (lead) => lead.description),
    textOn<Known>(custom("text"), (lead) => lead.text),
    rangeOn<Known>(regular("mrr"), (lead) => lead.mrr),
    rangeOn<Known>(custom("number"), (lead) => lead.number),
    existsOn<Known>(regular("description"), (lead) => lead.description),
    existsOn<Known>(regular("tags"), (lead) => lead.tags[0]),
    existsOn<Known>(custom("several"), (lead) => lead.several),
    existsOn<Known>(regular("owner_id"), (lead) => (lead.mine ? 1 : null)),
    fc.constant(condition<Known>(regular("owner_id"), { type: "current_user" }, (lead) => lead.mine)),
    fc.constant(
      condition<Known>(
        regular("owner_id"),
        { type: "reference", reference_type: "user", object_ids: [acme.userId, "user_x"] },
        (lead) => lead.mine,
      ),
    ),
    fc
      .subarray([0, 1, 2, 3])
      .map((values) => condition<Known>(regular("mrr"), { type: "term", values }, (lead) => values.includes(lead.mrr ?? -1))),
    fc
      .subarray(["a", "b"])
      .map((values) =>
        condition<Known>(custom("several"), { type: "term", values }, (lead) =>
          values.some((one) => lead.several?.includes(one)),
        ),
      ),
    fc.boolean().map((value) => condition<Known>(custom("flag"), { type: "boolean", value }, (lead) => lead.flag === value)),
    fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
      .map(([from, to]) =>
        condition<Known>(
          custom("date"),
          { type: "moment_range", gte: day(from), lt: day(to) },
          ({ date }) => date !== undefined && date >= day(from) && date < day(to),
        ),
      ),
    fc.constantFrom(...tags, "vip", "none").map(
      (value): Case<Known> => ({
        node: { type: "tag", value },
        holds: (lead) => lead.tags.some((tag) => tag.toLowerCase() === value.toLowerCase()),
      }),
    ),
    fc.tuple(anyMode, sought).map(
      ([mode, value]): Case<Known> => ({
        node: { type: "text", mode, value },
        holds: (lead) =>
          inOneRecord(mode, value, [lead.name, lead.description]) ||
          lead.people.some((one) => inOneRecord(mode, value, [one.name, one.title])),
      }),
    ),
    fc.tuple(person, fc.boolean()).map(
      ([{ node, holds }, negate]): Case<Known> => ({
        node: { type: "has_related", related_object_type: "contact", related_query: { ...node, negate } },
        holds: (lead) => lead.people.some((one) => holds(one) !== negate),
      }),
    ),
    fc.constant<Case<Known>>({ node: { type: "match_all" }, holds: () => true }),
  );
}

/** Words may be in different fields of a record, a phrase only in one. */
function inOneRecord(mode: Mode, value: string, texts: readonly (string | null)[]): boolean {
  if (mode === "phrase") return texts.some((text) => hasText("phrase", value, text));
  // Text written without a space stays together: `x-ray`, `o'brien`, `北京`.
  const pieces = value.split(" ").filter((piece) => words(piece).length > 0);
  return (
    pieces.length > 0 && pieces.every((piece) => texts.some((text) => text !== null && together(words(piece), words(text), mode)))
  );
}

const together = (piece: string[], text: string[], mode: Mode) =>
  text.some((_, at) =>
    piece.every((word, i) =>
      mode === "beginning_of_words" && i === piece.length - 1 ? text[at + i]?.startsWith(word) : text[at + i] === word,
    ),
  );

function trees(leaf: fc.Arbitrary<Case<Known>>): fc.Arbitrary<Case<Known>> {
  const { tree } = fc.letrec<{ tree: Case<Known> }>((tie) => {
    const some = fc.array(tie("tree"), { maxLength: 3 });
    const inner = fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      some.map((cases) => ({
        node: { type: "and", queries: cases.map((one) => one.node) },
        holds: (lead: Known) => cases.every((one) => one.holds(lead)),
      })),
      some.map((cases) => ({
        node: { type: "or", queries: cases.map((one) => one.node) },
        holds: (lead: Known) => cases.some((one) => one.holds(lead)),
      })),
    );
    return {
      tree: fc
        .tuple(inner, fc.boolean())
        .map(([{ node, holds }, negate]) => ({ node: { ...node, negate }, holds: (lead: Known) => holds(lead) !== negate })),
    };
  });
  return tree;
}

test("a search finds exactly what the same filter finds in JavaScript", async () => {
  const acme = await organization();
  const fields = await fieldsOf(acme);
  const leads: Known[] = [];
  for (const given of fc.sample(anyLead, { numRuns: 40, seed: 7 })) leads.push(await create(acme, fields, given));

  await fc.assert(
    fc.asyncProperty(trees(leaves(acme, fields)), async ({ node, holds }) => {
      const query = { type: "and", queries: [{ type: "object_type", object_type: "lead" }, node] };

      const found = await acme.post("/data/search/", { query, _fields: ["id"], _limit: 200, include_counts: true });

      const expected = leads.filter(holds).map((lead) => lead.id);
      assert.deepEqual(found.data.map((one: any) => one.id).sort(), expected.sort());
      assert.equal(found.count.total, expected.length);
    }),
    { numRuns: 300 },
  );
});

test("pages of a search, in any order, give every record once", async () => {
  const acme = await organization();
  const fields = await fieldsOf(acme);
  const leads: Known[] = [];
  for (const given of fc.sample(anyLead, { numRuns: 15, seed: 11 })) leads.push(await create(acme, fields, given));
  const key = fc.constantFrom(
    "name",
    "mrr",
    "date_created",
    "num_contacts",
    `custom.${fields.number}`,
    `custom.${fields.text}`,
    `custom.${fields.date}`,
    "status_label",
  );
  const sort = fc.array(
    fc.tuple(key, fc.boolean()).map(([name, down]) => (down ? `-${name}` : name)),
    { maxLength: 3 },
  );

  await fc.assert(
    fc.asyncProperty(sort, fc.integer({ min: 1, max: 7 }), async (sort, _limit) => {
      const ask = { query: { type: "object_type", object_type: "lead" }, sort, _fields: ["id"] };
      const whole = (await acme.post("/data/search/", ask)).data.map((one: any) => one.id);

      const paged: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: any = await acme.post("/data/search/", { ...ask, _limit, cursor });
        paged.push(...page.data.map((one: any) => one.id));
        assert.equal(page.cursor, page.cursor_next);
        assert.equal(page.has_more, page.cursor !== null);
        if (page.cursor === null) break;
        cursor = page.cursor;
      }

      assert.equal(new Set(whole).size, leads.length);
      assert.deepEqual(paged, whole);
    }),
    { numRuns: 25 },
  );
});
