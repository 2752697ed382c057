import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { problemOfTemplate, renderTemplate, TemplateError } from "./liquid.ts";

const values = { contact: { first_name: "Ann", name: "Ann & <b>Co</b>", title: null }, list: ["a", "b"] };
const html = (source: string, given: Record<string, unknown> = values) => renderTemplate(source, given, "html");
const text = (source: string) => renderTemplate(source, values, "text");

test("values are filled in, escaped in HTML and left as they are in text", () => {
  assert.equal(html("<p>{{ contact.name }}</p>").text, "<p>Ann &amp; &lt;b&gt;Co&lt;/b&gt;</p>");
  assert.equal(text("Hi {{ contact.name }}").text, "Hi Ann & <b>Co</b>");
  assert.equal(text("{{ list }} {{ contact }} {{ 5 | plus: 2 }} {{ true }}").text, "a, b  7 true");
});

test("what a value says is never taken for a tag", () => {
  assert.equal(html("{{ x }}", { x: "{{ y }}{% for a in b %}", y: "secret" }).text, "{{ y }}{% for a in b %}");
});

test("no filter takes the escaping away", () => {
  for (const filter of ["raw", "json", "inspect", "base64_decode", "newline_to_br", "url_decode"])
    assert.throws(() => html(`{{ contact.name | ${filter} }}`), TemplateError, filter);
  assert.equal(html(`{{ contact.name | append: "<i>" | upcase }}`).text, "ANN &amp; &lt;B&gt;CO&lt;/B&gt;&lt;I&gt;");
});

test("values that are unknown or empty are listed once, those with a default are not", () => {
  const { text, missing } = html(
    '{{ contact.title }}{{ contact.title | default: "there" }}{{ nobody.name | upcase }}{{ nobody.name }}{% if x.y %}1{% endif %}',
  );

  assert.equal(text, "there");
  assert.deepEqual(missing, ["contact.title", "nobody.name"]);
});

test("branches and loops work, and the unsubscribe link waits for its recipient", () => {
  assert.equal(text("{% if contact.first_name == 'Ann' %}A{% else %}B{% endif %}").text, "A");
  assert.equal(text("{% for one in list %}{{ forloop.index }}{{ one }}{% endfor %}").text, "1a2b");
  assert.equal(html("{% unsubscribe %}").text, "{% unsubscribe %}");
  assert.equal(text("{{ unsubscribe_link }}").text, "{{ unsubscribe_link }}");
});

test("a template that cannot be read says why and on which line", () => {
  for (const [source, reason] of [
    ["Hi\n{{ name", /line 2/],
    ["{% if x %}", /not closed/],
    ["{% nonsense %}", /nonsense/],
    ["{{ x | nonsense }}", /nonsense/],
    ["{% endif %}", /endif/],
  ] as const)
    assert.match(problemOfTemplate(source) ?? "it can be read", reason, source);
});

describe("a hostile template", () => {
  const cut = (name: string, source: string, given: Record<string, unknown> = values) =>
    test(`is cut off: ${name}`, () => {
      assert.throws(() => html(source, given), TemplateError);
    });

  const many = Array.from({ length: 1000 }, (_, i) => i);
  cut("a huge loop", "{% for i in (1..100000000) %}x{% endfor %}");
  cut("a loop without end", "{% for i in (1..99999999999999999999) %}x{% endfor %}");
  cut("loops within loops", `${"{% for i in many %}".repeat(8)}${"{% endfor %}".repeat(8)}`, { many });
  cut("loops within loops that write", `${"{% for i in many %}".repeat(3)}xxxxxxxxxx${"{% endfor %}".repeat(3)}`, { many });
  cut("a text that doubles", `{% assign a = "xxxxxxxxxx" %}${"{% assign a = a | append: a %}".repeat(40)}{{ a }}`);
  cut(
    "a text that is replaced into growing",
    `{% assign a = "xxxxxxxxxx" %}${'{% assign a = a | replace: "x", "xxxxxxxxxx" %}'.repeat(10)}`,
  );
  cut(
    "a list that is split and joined",
    `{% assign a = "aa" %}${'{% assign a = a | split: "" | join: "aaaaaaaaaa" %}'.repeat(30)}`,
  );
  cut("a padded date", '{{ "now" | date: "%99999999d" }}');
  cut("a number that never ends", `{{ "now" | date: "${"%9999d".repeat(200)}" }}`);
  cut("more text than a mail has", "x".repeat(100_001));
  cut("more tags than a mail has", "{{ x }}".repeat(501));
  cut("a tag that goes on and on", `{% if ${"a == b or ".repeat(9000)} true %}x{% endif %}`);
  cut("a path that goes on and on", `{{ a${".b".repeat(45_000)} }}`);
  cut("a time zone that is none", '{{ "now" | date: "%Y", "Nowhere/None" }}');
  cut("tags deep within each other", "{% if true %}".repeat(12_000));
  cut("parentheses deep within each other", `{{ ${"(".repeat(50_000)} }}`);
  cut("brackets deep within each other", `{{ a${"[a".repeat(40_000)}${"]".repeat(100)} }}`);

  for (const tag of ["include", "render", "layout", "block", "capture", "tablerow", "liquid", "echo", "increment", "cycle"])
    cut(`the tag ${tag}`, `{% ${tag} "../../../../etc/passwd" %}`);

  test("sees neither prototypes nor what belongs to the program", () => {
    for (const path of [
      "__proto__",
      "constructor",
      "constructor.name",
      "toString",
      "process.env.PATH",
      "globalThis",
      "list.__proto__",
    ])
      assert.equal(html(`{{ ${path} }}{{ contact.${path} }}{{ contact["${path}"] }}`).text, "", path);
    class Secret {
      get shown() {
        return "secret";
      }
    }
    assert.equal(html("{{ x.shown }}", { x: new Secret() }).text, "");
  });

  test("cannot leave anything behind for the next", () => {
    text("{% assign contact = 'mine' %}{% assign __proto__ = 'x' %}{% assign left = 1 %}");

    assert.equal(text("{{ contact.first_name }}{{ left }}").text, "Ann");
    assert.equal(({} as Record<string, unknown>).left, undefined);
  });
});
