import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { effortOf } from "../../test/support/effort.ts";
import type { Operator, QueryNode } from "./nodes.ts";
import { parseTextQuery, TextQueryError } from "./text_query.ts";

const parsed = (text: string) => parseTextQuery(text).query;
const word = (value: string): QueryNode => ({
  type: "text",
  value,
  mode: "beginning_of_words",
  negate: false,
});
const phrase = (value: string): QueryNode => ({ type: "text", value, mode: "phrase", negate: false });
const field = (name: string, operator: Operator, ...values: string[]): QueryNode => ({
  type: "named_field",
  name,
  operator,
  values,
  negate: false,
});
const contact = (related_query: QueryNode): QueryNode => ({
  type: "named_related",
  name: "contact",
  related_query,
  negate: false,
});
const all = (...queries: QueryNode[]): QueryNode => ({ type: "and", queries, negate: false });
const any = (...queries: QueryNode[]): QueryNode => ({ type: "or", queries, negate: false });
const not = (node: QueryNode): QueryNode => ({ ...node, negate: !node.negate });
const everything: QueryNode = { type: "match_all", negate: false };

test("words and phrases side by side must all be found", () => {
  assert.deepEqual(parsed('acme "west coast"'), all(word("acme"), phrase("west coast")));
  assert.deepEqual(parsed("acme AND corp"), all(word("acme"), word("corp")));
  assert.deepEqual(parsed("“west coast”"), phrase("west coast"));
});

test("addresses, phone numbers and names with apostrophes are words", () => {
  for (const text of ["bob@acme.com", "+1 800-444-5555", "+1 (800) 444-5555", "(800) 444-5555", "o'brien", "12:30", '5"'])
    assert.deepEqual(parsed(text), word(text));
  for (const text of ["https://acme.com/x?y=1", "http://acme.com:80/a_(b)", "mailto:bob@acme.com", "acme.com/x?y=1"])
    assert.deepEqual(parsed(text), word(text));
  assert.deepEqual(parsed("Smith <smith@acme.com>"), all(word("Smith"), word("<smith@acme.com>")));
  assert.deepEqual(parsed("bob +44 20 7946 0958 acme"), all(word("bob"), word("+44 20 7946 0958"), word("acme")));
});

test("a field can be compared with a value, a range or one of several", () => {
  assert.deepEqual(parsed("status:won"), field("status", ":", "won"));
  assert.deepEqual(parsed('name: "Acme \\"A\\" Corp"'), field("name", ":", 'Acme "A" Corp'));
  assert.deepEqual(parsed('date_updated>="2020-01-01T00:00"'), field("date_updated", ">=", "2020-01-01T00:00"));
  assert.deepEqual(parsed("value > 5 confidence<=50"), all(field("value", ">", "5"), field("confidence", "<=", "50")));
  assert.deepEqual(parsed('status in (won, "on hold", very warm)'), field("status", "in", "won", "on hold", "very warm"));
  assert.deepEqual(parsed("custom.Größe:3"), field("custom.Größe", ":", "3"));
  assert.deepEqual(parsed('"custom.Deal size">="7 days ago"'), field("custom.Deal size", ">=", "7 days ago"));
  assert.deepEqual(parsed('custom."Deal size">=5'), field("custom.Deal size", ">=", "5"));
  assert.deepEqual(
    parsed("calls >3 tasks> 2 name =x"),
    all(field("calls", ">", "3"), field("tasks", ">", "2"), field("name", "=", "x")),
  );
  assert.deepEqual(parsed('status=="won" value<>5'), all(field("status", "=", "won"), not(field("value", "=", "5"))));
  assert.deepEqual(parsed('status:(won or "on hold", very warm)'), field("status", ":", "won", "on hold", "very warm"));
  assert.deepEqual(
    parsed('value:[10 TO 20] created:["7 days ago" TO *]'),
    all(all(field("value", ">=", "10"), field("value", "<=", "20")), field("created", ">=", "7 days ago")),
  );
});

test("not and - turn around what follows", () => {
  assert.deepEqual(parsed("-acme not tag:cold"), all(not(word("acme")), not(field("tag", ":", "cold"))));
  assert.deepEqual(parsed('-(a b) -"c d"'), all(not(all(word("a"), word("b"))), not(phrase("c d"))));
  assert.deepEqual(parsed("status!=won"), not(field("status", "=", "won")));
  assert.deepEqual(parsed("status not in (won)"), not(field("status", "in", "won")));
  assert.deepEqual(parsed("not not acme"), word("acme"));
  assert.deepEqual(parsed("!acme !status:won"), all(not(word("acme")), not(field("status", ":", "won"))));
  assert.deepEqual(parsed("Yahoo! !"), word("Yahoo!"));
  assert.deepEqual(parsed("not-for-profit jean-paul"), all(word("not-for-profit"), word("jean-paul")));
});

test("and binds closer than or, and parentheses closest", () => {
  assert.deepEqual(parsed("a || b && c"), any(word("a"), all(word("b"), word("c"))));
  assert.deepEqual(parsed("a or b c"), any(word("a"), all(word("b"), word("c"))));
  assert.deepEqual(parsed("(a or b) c"), all(any(word("a"), word("b")), word("c")));
});

test("a related record is described in parentheses", () => {
  assert.deepEqual(parsed("contact(name:x title:CEO)"), contact(all(field("name", ":", "x"), field("title", ":", "CEO"))));
  assert.deepEqual(parsed("-contact(*)"), not(contact(everything)));
});

test("* and nothing at all match everything", () => {
  for (const text of ["*", "", "  ", "sort:name"]) assert.deepEqual(parsed(text), everything);
});

test("a sort says its direction before or behind the name", () => {
  for (const text of ["sort:-created", "sort:created desc", "sort:created:DESC", 'sort:"-created"'])
    assert.deepEqual(parseTextQuery(text), { query: everything, sort: [{ name: "created", direction: "desc" }] }, text);
  assert.deepEqual(parseTextQuery('sort:custom."Deal size" asc, -name acme').sort, [
    { name: "custom.Deal size", direction: "asc" },
    { name: "name", direction: "desc" },
  ]);
  assert.deepEqual(parsed("sort:name description"), word("description"));
});

test("sort is taken out of the query", () => {
  assert.deepEqual(parseTextQuery('acme sort:-date_updated sort:updated sort:-"custom.Deal size" sort:name,-value'), {
    query: word("acme"),
    sort: [
      { name: "date_updated", direction: "desc" },
      { name: "updated", direction: "asc" },
      { name: "custom.Deal size", direction: "desc" },
      { name: "name", direction: "asc" },
      { name: "value", direction: "desc" },
    ],
  });
});

test("an operator that has nothing to work on is a word", () => {
  assert.deepEqual(parsed("portland or"), all(word("portland"), word("or")));
  assert.deepEqual(parsed("(not)"), word("not"));
  assert.deepEqual(parsed("made in china"), all(word("made"), word("in"), word("china")));
});

test("punctuation between words is no condition, and alone it finds nothing", () => {
  assert.deepEqual(parsed("Smith & Sons - () Paris"), all(word("Smith"), word("Sons"), word("Paris")));
  assert.deepEqual(parsed("-()"), word("()"));
  assert.deepEqual(parsed("& !"), word("&"));
});

test("what cannot be understood is explained in a sentence with its place", () => {
  const refused = (text: string, position: number, message: RegExp) =>
    assert.throws(
      () => parseTextQuery(text),
      (error) => error instanceof TextQueryError && error.position === position && message.test(error.message),
      text,
    );

  refused("acme foo:", 5, /^foo: needs a value, such as foo:"x" \(at character 6\)$/);
  refused("contact(name:)", 8, /^name: needs a value/);
  refused("(acme", 0, /^this parenthesis is never closed/);
  refused("acme)", 4, /^this closing parenthesis has no opening one/);
  refused('name:"acme', 5, /^this quotation mark is never closed/);
  refused("status in (won", 10, /^the list after status is never closed/);
  refused("status in ()", 10, /^status in \( \) needs at least one value/);
  refused("status:(won and lost)", 7, /^for several values write status in \(one, another\)/);
  refused("contact()", 7, /^contact\( \) needs something to look for/);
  refused("-sort:name", 1, /^a sort cannot be negated/);
  refused("(".repeat(21), 20, /nest at most 20 deep/);
  refused("é".repeat(4_097), 0, /at most 8 KB/);
  refused("a ".repeat(501), 1_001, /at most 500 parts/);
});

test("whatever is typed is understood or refused with a sentence", () => {
  const pieces = [
    "a",
    "1",
    " ",
    ":",
    '"',
    "(",
    ")",
    "-",
    "+",
    ">",
    "=",
    "!",
    "*",
    ",",
    "\\",
    "“",
    "not ",
    "or ",
    " and ",
    " in (",
    "sort:",
    "://",
    "\n",
    "é",
    '"\n":',
    "\0",
  ];
  const tricky = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((found) => found.join(""));

  fc.assert(
    fc.property(fc.oneof(tricky, fc.string({ unit: "binary" })), (text) => {
      try {
        parseTextQuery(text);
      } catch (error) {
        if (!(error instanceof TextQueryError)) throw error;
        assert.match(error.message, /^\S.* \(at character \d+\)$/s);
        assert.ok(error.position >= 0 && error.position <= text.length);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("8 KB of the worst are read in no time", () => {
  const effort = effortOf(() => {
    for (const piece of ["1 ", "not ", "-", "a.", "1.(1)", '"a" ', "((1", "\\", "a-", "  "]) {
      try {
        parseTextQuery(piece.repeat(Math.floor(8_192 / piece.length)));
      } catch (error) {
        assert.ok(error instanceof TextQueryError);
      }
    }
  });
  assert.ok(effort < 2_000, `${effort} ms`);
});

test("a query written out and read back is the same query", () => {
  fc.assert(
    fc.property(tree, (node) => {
      const text = written(node);
      fc.pre(Buffer.byteLength(text) <= 8_192);
      assert.deepEqual(parsed(text), node);
    }),
  );
});

const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
const sayable = fc.string({ unit: "binary", maxLength: 12 }).filter((text) => /[\p{L}\p{N}]/u.test(text));
const values = fc.string({ unit: "binary", maxLength: 12 });
const name = fc.oneof(
  fc.constantFrom("status", "custom.cf_1", "or", "date-won", "größe"),
  sayable.filter((text) => !/^sort$/i.test(text)),
);
const { tree } = fc.letrec<{ tree: QueryNode }>((tie) => {
  const leaf: fc.Arbitrary<QueryNode> = fc.oneof(
    fc.constantFrom("acme", "bob@acme.com", "o'brien", "https://acme.com/?a=b", "acme.com/a_(uk)").map(word),
    sayable.map(phrase),
    fc.constant(everything),
    fc
      .tuple(name, fc.constantFrom<Operator>(":", "=", ">", ">=", "<", "<="), values)
      .map(([name, operator, value]) => field(name, operator, value)),
    fc.tuple(name, fc.array(values, { minLength: 1, maxLength: 3 })).map(([name, list]) => field(name, "in", ...list)),
  );
  const several = fc.array(tie("tree"), { minLength: 2, maxLength: 4 });
  const inner = fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    several.map((nodes) => all(...nodes)),
    several.map((nodes) => any(...nodes)),
    tie("tree").map(contact),
  );
  return { tree: fc.tuple(inner, fc.boolean()).map(([node, negated]) => (negated ? not(node) : node)) };
});

function written(node: QueryNode): string {
  if (node.negate) return `${node.type === "match_all" ? "not " : "-"}${written(not(node))}`;
  switch (node.type) {
    case "and":
      return `(${node.queries.map(written).join(" ")})`;
    case "or":
      return `(${node.queries.map(written).join(" or ")})`;
    case "named_related":
      return `${node.name}(${written(node.related_query)})`;
    case "text":
      return node.mode === "phrase" ? quoted(node.value) : node.value;
    case "named_field": {
      const isPlain = /^\p{L}[\p{L}.\d-]*\p{L}$/u.test(node.name) && !/^(and|or|not)$/i.test(node.name);
      const name = isPlain ? node.name : quoted(node.name);
      const list = node.values.map(quoted).join(", ");
      return node.operator === "in" ? `${name} in (${list})` : `${name}${node.operator}${list}`;
    }
    default:
      return "*";
  }
}
