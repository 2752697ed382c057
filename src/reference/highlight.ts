// Colours for code, made on the server: strings, numbers, comments and keywords, and no more.
import { escapeHtml } from "../values/html.ts";
import { Html } from "../values/html_template.ts";

const string = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/;
const number = /\b\d+(?:\.\d+)?\b/;
const words = (...all: string[]) => new RegExp(`\\b(?:${all.join("|")})\\b`);

/** For each language, the kinds of token in the order in which they are tried. */
const languages: Record<string, [string, RegExp][]> = {
  json: [
    ["key", /"(?:[^"\\\n]|\\.)*"(?=\s*:)/],
    ["str", /"(?:[^"\\\n]|\\.)*"/],
    ["num", number],
    ["kw", words("true", "false", "null")],
  ],
  js: [
    ["com", /\/\/[^\n]*|\/\*[^]*?\*\//],
    ["str", string],
    ["num", number],
    [
      "kw",
      words(
        "const|let|import|export|from|await|async|function|return|if|else|for|of|in|new|throw|try|catch|while|type|interface|class|typeof",
      ),
    ],
  ],
  py: [
    ["com", /#[^\n]*/],
    ["str", /"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/],
    ["num", number],
    [
      "kw",
      words(
        "import|from|def|return|if|elif|else|for|in|while|with|as|try|except|raise|class|not|and|or|None|True|False|lambda|assert|pass",
      ),
    ],
  ],
  sh: [
    ["com", /(?<=^|\s)#[^\n]*/m],
    ["str", /"(?:[^"\\]|\\.)*"|'[^']*'/],
    ["kw", /(?<=^|[\n|;(] *)(?:curl|npm|npx|node|python3|export|docker)\b|(?<=\s)--?[A-Za-z][\w-]*/],
    ["num", /\$\w+/],
  ],
  http: [
    ["kw", /^(?:GET|POST|PUT|DELETE)\b/m],
    ["key", /"(?:[^"\\\n]|\\.)*"(?=\s*:)/],
    ["str", /"(?:[^"\\\n]|\\.)*"/],
    ["num", number],
  ],
};
const aliases: Record<string, string> = {
  ts: "js",
  mjs: "js",
  javascript: "js",
  typescript: "js",
  python: "py",
  bash: "sh",
  shell: "sh",
};

export function highlighted(text: string, language: string): Html {
  const kinds = languages[aliases[language] ?? language];
  if (kinds === undefined) return new Html(escapeHtml(text));
  const any = new RegExp(kinds.map(([, pattern]) => `(${pattern.source})`).join("|"), "gm");
  let result = "";
  let done = 0;
  for (const match of text.matchAll(any)) {
    const kind = kinds[match.slice(1).findIndex((one) => one !== undefined)]![0];
    result += `${escapeHtml(text.slice(done, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    done = match.index + match[0].length;
  }
  return new Html(result + escapeHtml(text.slice(done)));
}
