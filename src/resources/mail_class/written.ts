// What the sender of a message wrote, without quotations and the signature: a reply that quotes `click here to unsubscribe`
// requests nothing.
import { beginningOf } from "../../values/beginning.ts";
import { fromHtml } from "../../values/rich_text.ts";

/** People say what matters at the beginning. */
const textMax = 20_000;
const htmlMax = 100_000;
const lineMax = 500;
/** Below these lines no head of a quotation and no signature is looked for. */
const linesMost = 5000;

export function writtenIn({ text, html }: { text?: string | undefined; html?: string | undefined }): string {
  const plain = text?.slice(0, textMax) ?? "";
  return withoutQuotes(plain.trim() !== "" ? plain : textOf(html ?? ""));
}

/** The beginning of what the sender of an e-mail wrote. One that only quotes shows what it quotes. */
export const mailPreview = (text: string): string => beginningOf(writtenIn({ text }) || text);

const textOf = (html: string): string => fromHtml(beforeQuote(html.slice(0, htmlMax))).text.slice(0, textMax);

/** Where mail programs start the quotation. */
const quotesInHtml = [
  "<blockquote",
  'class="gmail_quote',
  'id="divrplyfwdmsg"',
  'id="appendonsend"',
  'id="mail-editor-reference-message-container"',
  'class="moz-cite-prefix"',
  'class="yahoo_quoted"',
  'class="protonmail_quote"',
  'name="messagereplysection"',
  "border-top:solid #e1e1e1",
  "border-top:solid #b5c4df",
];

function beforeQuote(html: string): string {
  const small = html.toLowerCase();
  const starts = quotesInHtml.map((mark) => small.indexOf(mark)).filter((at) => at >= 0);
  // The mark is inside a tag: the text before that tag was written by the sender.
  return starts.length === 0 ? html : html.slice(0, html.lastIndexOf("<", Math.min(...starts)));
}

function withoutQuotes(text: string): string {
  const kinds = lineKinds(text);
  return text
    .split(/\r?\n/)
    .filter((_, i) => kinds[i] === "written")
    .map((line) => line.slice(0, lineMax).trimEnd())
    .join("\n")
    .trim();
}

export type LineKind = "written" | "signature" | "quoted";

/** The kind of each line. Below the head of a quoted message everything is quoted; a signature lasts until a quotation. */
export function lineKinds(text: string): LineKind[] {
  const lines = text.split(/\r?\n/).map((line) => line.slice(0, lineMax).trimEnd());
  const kinds: LineKind[] = [];
  let rest: LineKind = "written";
  while (kinds.length < lines.length) {
    const at = kinds.length;
    const isOpen = rest !== "quoted" && at < linesMost;
    const length = isOpen ? announcementAt(lines, at) : 0;
    const isHead = length > 0 ? !marksQuotes(lines, at + length) : isOpen && headsQuote(lines, at);
    if (isHead) rest = "quoted";
    else if (isOpen && rest === "written" && signature.test(lines[at]!)) rest = "signature";
    if (length > 0) kinds.push(...Array<LineKind>(length).fill("quoted"));
    else kinds.push(lines[at]!.trimStart().startsWith(">") ? "quoted" : rest);
  }
  return kinds;
}

/** `On Monday, Ann wrote:`, on one line or two. Returns how many lines it takes, or 0. */
function announcementAt(lines: readonly string[], at: number): number {
  if (announcement.test(lines[at]!)) return 1;
  return beginsAnnouncement.test(lines[at]!) && announcement.test(`${lines[at]} ${lines[at + 1] ?? ""}`) ? 2 : 0;
}

const beginsAnnouncement = /^\s*(?:(?:on|am|le|el|il|em|op|den|dne|w dniu)(?!\p{L})|\d{1,4}[./年-])/iu;
const announcement =
  /^\s*(?:(?:on|am|le|el|il|em|op|den|dne|w dniu)(?!\p{L})|\d{1,4}[./年-]).{0,400}(?:wrote|schrieb.{0,100}|a écrit|escribió|ha scritto|escreveu|schreef.{0,100}|skrev.{0,100}|kirjoitti|napsala?.{0,100}|napisała?.{0,100}|написала?|пишет|写道|のメール)\s?[:：]?\s*$/iu;

/** The following lines are marked one by one, so unmarked lines were written below them. */
const marksQuotes = (lines: readonly string[], from: number): boolean =>
  lines
    .slice(from, from + 3)
    .find((line) => line.trim() !== "")
    ?.trimStart()
    .startsWith(">") ?? false;

const rule =
  /^\s*(?:-{2,}\s?(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|message original|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|originalmeddelande|oprindelig meddelelse|wiadomość oryginalna|исходное сообщение)\s?-{2,}|_{20,})\s*$/iu;
const signature =
  /^(?:-- ?|(?:sent from my|sent via|get outlook for|von meinem .{1,40} gesendet|gesendet von|envoyé de(?:puis)? mon|enviado (?:desde|do) (?:mi|meu)|inviato da(?:l mio)?|verzonden vanaf|skickat från|wysłane z|отправлено с)(?!\p{L}).*)$/iu;
const fromLine = /^\s*\*?(?:from|von|de|da|van|från|fra|od|lähettäjä|от)\s?:\*?\s/iu;
const headerLine =
  /^\s*\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|fecha|para|asunto|assunto|data|inviato|oggetto|verzonden|aan|onderwerp|skickat|till|ämne|sendt|til|emne|wysłano|do|temat|отправлено|кому|тема)\s?:\*?\s/iu;

/** A rule, or the header lines of a quoted message. */
const headsQuote = (lines: readonly string[], at: number): boolean =>
  rule.test(lines[at]!) ||
  (fromLine.test(lines[at]!) && lines.slice(at + 1, at + 4).filter((line) => headerLine.test(line)).length >= 2);
