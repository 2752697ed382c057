// The text that HTML shows, and the words of the XML in documents, sheets and presentations.
import { Parser } from "htmlparser2";

/** Where these begin or end, words do. Names are without a prefix: `w:p` is a paragraph of a document, `si` a text of a workbook. */
const apart = new Set(
  "p h h1 h2 h3 h4 h5 h6 div li dt dd tr td th table section article header footer blockquote pre br hr title option tab cr s c row si table-cell line-break".split(
    " ",
  ),
);
const silent = new Set(["script", "style"]);

export function shownBy(markup: string, isXml = false): string {
  const shown: string[] = [];
  let hidden = 0;
  const edge = (name: string) => {
    if (apart.has(name.slice(name.indexOf(":") + 1).toLowerCase())) shown.push(" ");
  };
  const parser = new Parser(
    {
      onopentag(name) {
        if (!isXml && silent.has(name)) hidden++;
        edge(name);
      },
      onclosetag(name) {
        if (!isXml && silent.has(name)) hidden--;
        edge(name);
      },
      ontext(text) {
        if (hidden === 0) shown.push(text);
      },
    },
    { xmlMode: isXml, decodeEntities: true },
  );
  parser.end(markup);
  return shown.join("");
}

export const isMarkup = (text: string): boolean => /<[a-z!?/]/i.test(text);
