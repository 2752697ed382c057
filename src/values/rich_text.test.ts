import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { effortOf } from "../../test/support/effort.ts";
import { fromHtml, fromText } from "./rich_text.ts";

/** `fromHtml(html).html` without its wrapper. */
function cleaned(html: string): string {
  return fromHtml(html).html.replace(/^<body>|<\/body>$/g, "");
}

test("the formatting of a note is kept", () => {
  const note =
    '<h1>Call</h1><p>With <b>Ann</b>, <em>soon</em>: <a href="https://acme.example/?a=1&amp;b=2">here</a></p>' +
    '<ul><li>one</li><li><code>two</code></li></ul><hr /><span style="color: red">!</span>';

  const { html, text } = fromHtml(`<body>${note}</body>`);

  assert.equal(html, `<body>${note}</body>`);
  assert.equal(text, "Call\nWith Ann, soon: here\none\ntwo\n!");
});

test("scripts and styles go with all they hold, other tags leave their text", () => {
  assert.equal(cleaned("a<script>alert(1)</script><style>p{}</style><svg><p>x</p></svg>b<!-- c -->"), "ab");
  assert.equal(cleaned("<font>x</font> <table><tr><td>y</td></tr></table>"), "x <br />y");
});

test("lines of an editor that writes div stay lines", () => {
  assert.deepEqual(fromHtml("<div>a</div><div><br></div><div>b</div>"), {
    html: "<body>a<br /><br />b</body>",
    text: "a\n\nb",
    mentions: [],
  });
});

test("a link leads to the web, a mailbox or a telephone and nowhere else", () => {
  for (const href of ["https://a.example", "http://a.example", "mailto:a@b.example", "tel:+18004445555"])
    assert.equal(cleaned(`<a href="${href}" onclick="x()">l</a>`), `<a href="${href}">l</a>`);
  for (const href of ["{{ unsubscribe_link }}", "{{unsubscribe_link}}", "%7B%7B%20unsubscribe_link%20%7D%7D"])
    assert.equal(cleaned(`<a href="${href}">l</a>`), '<a href="{{ unsubscribe_link }}">l</a>');
  for (const href of [
    "{{ other_link }}",
    "x{{ unsubscribe_link }}",
    "javascript:alert(1)",
    " java\nscript:x",
    "&#106;avascript:x",
    "data:text/html,x",
    "/a",
    "//a.example",
    "vbscript:x",
  ])
    assert.equal(cleaned(`<a href="${href}">l</a>`), "<a>l</a>");
  assert.equal(
    cleaned('<img src="x" onerror="y"><img src="https://a.example/b.png" onerror="y">'),
    '<img src="https://a.example/b.png" />',
  );
});

test("a style may colour text, not move it or fetch anything", () => {
  assert.equal(
    cleaned('<span style="color:#f00; position:fixed; background-color:url(//x); font-weight: bold">a</span>'),
    '<span style="color:#f00; font-weight: bold">a</span>',
  );
  assert.equal(cleaned('<p style="color:red" class="x">a</p>'), "<p>a</p>");
});

test("people and groups mentioned are listed once, in order", () => {
  const mention = (id: string) => `<span class="mention" data-label="A &amp; B" data-id="${id}" data-type="mention">@A</span>`;

  const { html, text, mentions } = fromHtml(`${mention("user_2")}${mention("group_1")}${mention("user_2")}${mention("lead_1")}`);

  assert.deepEqual(mentions, ["user_2", "group_1"]);
  assert.ok(html.startsWith('<body><span data-type="mention" data-id="user_2" data-label="A &amp; B" class="mention">@A</span>'));
  assert.ok(html.endsWith("<span>@A</span></body>"));
  assert.equal(text, "@A@A@A@A");
});

test("plain text becomes html that says the same", () => {
  assert.deepEqual(fromText("1 < 2 & 3\r\nnext"), {
    html: "<body>1 &lt; 2 &amp; 3<br />next</body>",
    text: "1 < 2 & 3\nnext",
  });
  assert.equal(fromText("").html, "<body></body>");
});

test("the source's own line breaks are not the reader's", () => {
  assert.equal(fromHtml("<p>a\n  b</p>\n<ul>\n  <li>c</li>\n</ul>\n").text, "a b\nc");
  assert.equal(fromHtml("a&nbsp;b").text, "a b");
});

const tags =
  "p h1 h2 b i a span code ul ol li br hr img div table tr td script style svg textarea title form select option button".split(
    " ",
  );
const piece = fc.oneof(
  fc.constantFrom(...tags).map((tag) => `<${tag}>`),
  fc.constantFrom(...tags).map((tag) => `</${tag}>`),
  fc.constantFrom(...tags).map((tag) => `<${tag} href="https://a.b/?x&y" style='color:red;x:y' src="http://i.j" alt="a>b">`),
  fc.constantFrom(...tags).map((tag) => `<${tag} data-type=mention data-id=user_1 data-label='"<b>'`),
  fc.constantFrom(
    "a",
    "b ",
    "\n",
    " ",
    "&amp;",
    "&lt;",
    "&nbsp;",
    "&#1;",
    "&#13;",
    "<",
    ">",
    '"',
    "<!--",
    "-->",
    "\ud800",
    "\0",
    "😀",
  ),
  fc.string({ maxLength: 4 }),
);
const soup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

test("cleaning what is clean changes nothing, whatever was sent at first", () => {
  fc.assert(
    fc.property(soup, (html) => {
      const once = fromHtml(html);
      assert.deepEqual(fromHtml(once.html), once);
    }),
    { numRuns: 3_000 },
  );
});

test("what is stored is well-formed XHTML of the known tags only", () => {
  const token =
    /<(\/?)(body|h1|p|em|strong|b|i|u|s|span|code|a|ul|ol|li)((?: [a-z-]+="[^"<>]*")*)>|<(?:br|hr|img)[^<>]* \/>|[^<>]/g;

  fc.assert(
    fc.property(soup, (source) => {
      const { html } = fromHtml(source);
      const open: string[] = [];
      let length = 0;
      for (const [match, closing, tag = ""] of html.matchAll(token)) {
        length += match.length;
        if (closing) assert.equal(open.pop(), tag);
        else if (tag) open.push(tag);
      }
      assert.deepEqual([length, open], [html.length, []]);
      assert.ok(html.isWellFormed());
      assert.doesNotMatch(html, /&(?!amp;|lt;|gt;|quot;)|[^\t\n\x20-\uFFFD\u{10000}-\u{10FFFF}]/u);
    }),
    { numRuns: 3_000 },
  );
});

test("plain text survives the way to html and back", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" }), soup), (source) => {
      const { html, text } = fromText(source);
      const back = fromHtml(html);
      assert.deepEqual([back.html, back.text], [html, text.replaceAll("\u00A0", " ")]);
    }),
  );
});

test("a megabyte of nested tags does not hold up the server", () => {
  fromHtml("<b>warm</b>");

  const effort = effortOf(() => {
    for (const bomb of ["<b>", "<x>", "<ul><li>x"]) fromHtml(bomb.repeat(1_000_000 / bomb.length));
  });

  assert.ok(effort < 2_000, `${effort} ms`);
});

test("nesting nobody could follow is flattened and stays clean", () => {
  const once = fromHtml(`${"<b>".repeat(100)}<span data-type="mention" data-id="user_1">x</span>${"</b>".repeat(100)}`);

  assert.equal(once.html, `<body>${"<b>".repeat(32)}x${"</b>".repeat(32)}</body>`);
  assert.deepEqual(fromHtml(once.html), once);
});
