// Finds in a text what somebody has to do, and until when, by the words that announce such things in four languages.
import * as chrono from "chrono-node";
import { addDays, todayIn } from "../../values/time.ts";
import { type Language, languageOf, languages } from "./language_of.ts";
import { sentencesOf } from "./sentences.ts";

export interface FoundTask {
  text: string;
  /** The day it is due; null where the text names none. */
  date: string | null;
  _type: "call" | "email" | "meeting" | "sms" | "lead";
  priority: "high" | "medium" | "low" | null;
}

interface Asking {
  now: Date;
  zone: string;
}

/** More would be noise. */
const tasksMax = 50;

export function tasksIn(text: string, asking: Asking): FoundTask[] {
  const usual = languageOf(text);
  const found = new Map<string, FoundTask>();
  for (const clause of new Set(sentencesOf(text).flatMap(clausesOf))) {
    const task = taskOf(clause, usual, asking);
    if (task !== null && !found.has(task.text)) found.set(task.text, task);
    if (found.size === tasksMax) break;
  }
  return [...found.values()];
}

const joint = /,? (?:and then|and|then|und dann|und|dann|et puis|et|puis|y luego|y|luego) |, /i;
const wordsLeast = 3;

/** A sentence that tells somebody to do two things is two: "call Ann on Tuesday, and send the offer by Friday". */
function clausesOf(sentence: string): string[] {
  if (isDone(sentence) || refusal.test(withoutMark(sentence))) return [sentence];
  const parts = sentence.split(new RegExp(`(${joint.source})`, joint.flags));
  const clauses = [parts[0]!];
  for (let i = 1; i < parts.length; i += 2) {
    const [joins, next] = [parts[i]!, parts[i + 1]!];
    const isOwn = [clauses.at(-1)!, next].every((one) => one.split(" ").length >= wordsLeast);
    if (isOwn && languages.some((one) => imperatives[one].test(next))) clauses.push(next);
    else clauses[clauses.length - 1] += joins + next;
  }
  return clauses;
}

function taskOf(sentence: string, usual: Language, asking: Asking): FoundTask | null {
  if (isDone(sentence)) return null;
  const words = withoutMark(sentence);
  if (refusal.test(words)) return null;
  // Short texts have few small words, so the words that announce a task decide on the language.
  const language = [usual, ...languages].find((one) => announces(words, one)) ?? (hasMark(sentence) ? usual : null);
  if (language === null) return null;
  return { text: words, date: dayIn(words, language, asking), _type: typeOf(words, language), priority: priorityOf(words) };
}

// --- is it a task? ---

const mark = /^(?:[-*•]\s*)?(?:\[\s?\]\s*|(?:to-?do|action(?: item)?|task|next step|aufgabe|à faire|tarea)s?\s*:\s*)/iu;
const bullet = /^[-*•]\s+/u;

const hasMark = (sentence: string): boolean => mark.test(sentence);
const isDone = (sentence: string): boolean => /^(?:[-*•]\s*)?\[x\]/i.test(sentence);
const withoutMark = (sentence: string): string => sentence.replace(mark, "").replace(bullet, "").trim();

/** Asks that something be left undone. */
const refusal =
  /^(?:and |but |so )?(?:please |bitte |por favor,? )?(?:do not|don't|stop|no longer|never|nicht|ne|no) (?!(?:forget|hesitate|oublie|olvide|vergessen))/iu;

/** At the start of a sentence they tell somebody what to do. */
const imperatives: Readonly<Record<Language, RegExp>> = {
  en: /^(?:and |then |also |so )?(?:please )?(?:let's |let us (?!know)|don't forget|remember|make sure|follow[- ]?up|call|phone|ring|e-?mail|write|reply|respond|answer|send|share|forward|schedule|book|arrange|set up|organi[sz]e|prepare|draft|review|check|confirm|update|create|add|finish|complete|submit|sign|invite|invoice|order|ask|tell|remind|get back|reach out|text|meet|discuss|deliver|fix|provide)\b/i,
  de: /^(?:und |dann |bitte )?(?:nicht vergessen|nachfassen|anrufen|rufen sie|ruf |senden sie|schicken sie|schick |sende |schreiben sie|schreib |antworten sie|vereinbaren|vereinbare|prüfen sie|prüfe |bestätigen sie|bestätige |erstellen|erstelle|bereiten sie|unterschreiben sie|melden sie sich|bitte )/i,
  fr: /^(?:et |puis |merci de |veuillez |prière de )?(?:appeler|appelez|envoyer|envoyez|écrire|écrivez|répondre|répondez|relancer|relancez|planifier|planifiez|organiser|organisez|préparer|préparez|confirmer|confirmez|vérifier|vérifiez|n'oubliez pas|rappeler|rappelez|signer|signez)(?!\p{L})/iu,
  es: /^(?:y |luego |por favor,? )?(?:llamar|llame|llama|enviar|envíe|envía|envíen|escribir|escriba|responder|responda|programar|programe|preparar|prepare|confirmar|confirme|revisar|revise|no olvide|recordar|firmar|firme|contactar|contacte)(?!\p{L})/iu,
};

/** Anywhere in a sentence they promise or ask for something. */
const promises: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:(?:i|we)(?:'ll| will| need to| have to| must| should|'m going to|'re going to| am going to| are going to) (?!be\b|not\b|never\b|see\b|have\b)|(?:can|could|would|will) you (?:please )?|please (?!find|note|let us know if|see|do not|don't)|needs? to be (?:\w+ed|paid|done|sent|made|signed|built|bought|brought|given|written|set)\b|needs? (?:an? |to (?!be\b))|deadline|by (?:end of|eod|eow))/i,
  de: /(?<!\p{L})(?:(?:ich|wir) (?:werden?|müssen|muss|sollten|sollte) |(?:können|könnten|würden) sie |bitte |muss bis |müssen bis |melde mich|melden uns)/iu,
  fr: /(?<!\p{L})(?:(?:je vais|nous allons|il faut|je dois|nous devons) |(?:pouvez|pourriez)[- ]vous |merci de |veuillez )/iu,
  es: /(?<!\p{L})(?:(?:voy a|vamos a|tengo que|tenemos que|hay que|debo|debemos) |(?:puede|podría|pueden|podrían) (?:usted )?|por favor)/iu,
};

const announces = (words: string, language: Language): boolean =>
  imperatives[language].test(words) || promises[language].test(words);

// --- what, when, how urgent ---

const kinds: readonly (readonly [FoundTask["_type"], RegExp])[] = [
  ["sms", /\b(?:sms|text (?:him|her|them|me|us|back)|whatsapp)\b/i],
  ["meeting", /\b(?:meeting|meet|demo|appointment|termin|besprechung|réunion|rendez-vous|reunión|cita)\b/iu],
  [
    "call",
    /(?<!\p{L})(?:call|phone|ring|anrufen|anruf|ruf|rufen|appeler|appelez|rappeler|rappelez|llamar|llame|llama)(?!\p{L})/iu,
  ],
  [
    "email",
    /(?<!\p{L})(?:e-?mail|mail|send|reply|respond|forward|write|senden|sende|schicken|schick|schreiben|antworten|envoyer|envoyez|écrire|écrivez|répondre|enviar|envíe|escribir|escriba|responder)(?!\p{L})/iu,
  ],
];

/** What stands before the words that announce the task, such as thanks for a call, is about something else. */
function typeOf(words: string, language: Language): FoundTask["_type"] {
  const at = imperatives[language].test(words) ? 0 : Math.max(0, words.search(promises[language]));
  return kinds.find(([, sign]) => sign.test(words.slice(at)))?.[0] ?? "lead";
}

const urgent =
  /(?<!\p{L})(?:urgent(?:ly)?|asap|as soon as possible|immediately|right away|critical|top priority|dringend|sofort|eilig|umgehend|d'urgence|immédiatement|urgente|inmediatamente|cuanto antes)(?!\p{L})/iu;
const idle =
  /(?<!\p{L})(?:no rush|no hurry|whenever|when you have time|low priority|at some point|keine eile|pas urgent|sin prisa)(?!\p{L})/iu;

const priorityOf = (words: string): FoundTask["priority"] => (idle.test(words) ? "low" : urgent.test(words) ? "high" : null);

const parsers: Readonly<Record<Language, typeof chrono.casual>> = {
  en: chrono.en.casual,
  de: chrono.de.casual,
  fr: chrono.fr.casual,
  es: chrono.es.casual,
};

/** The first day from today on that the sentence names, in the caller's zone. Days without a year are in the future. */
function dayIn(words: string, language: Language, { now, zone }: Asking): string | null {
  const today = todayIn(now, zone);
  // The parser counts from a moment in the machine's zone: noon of the caller's day is the same day there.
  const [year, month, day] = today.split("-").map(Number) as [number, number, number];
  const readable = language === "en" ? words.replace(/\b(?:eod|cob)\b/gi, " ") : withMonthNames(words, language);
  const days = parsers[language]
    .parse(readable, new Date(year, month - 1, day, 12), { forwardDate: true })
    .map(({ start }) => dateOf(start.get("year"), start.get("month"), start.get("day")))
    .filter((one) => one >= today);
  return days[0] ?? endOf(words, today);
}

const dateOf = (y: number | null, m: number | null, d: number | null): string =>
  `${String(y ?? 0).padStart(4, "0")}-${String(m ?? 0).padStart(2, "0")}-${String(d ?? 0).padStart(2, "0")}`;

/** The parser knows German days such as 15.04. only with a year or a month's name. */
const withMonthNames = (words: string, language: Language): string =>
  language === "de"
    ? words.replace(/\b([0-3]?\d)\.\s?([01]?\d)\.(?!\d)/g, (all, d, m) =>
        months[m - 1] === undefined ? all : `${d}. ${months[m - 1]} `,
      )
    : words;
const months = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(" ");

/** The day of "by end of day", and the Friday of "by the end of this week". */
function endOf(words: string, today: string): string | null {
  if (/\b(?:eod|cob|end of (?:the )?day)\b/i.test(words)) return today;
  const week = /\b(?:eow|end of (?:the |this )?(next )?week)\b/i.exec(words);
  if (week === null) return null;
  const weekday = new Date(`${today}T12:00:00Z`).getUTCDay();
  return addDays(today, ((5 - weekday + 7) % 7) + (week[1] === undefined ? 0 : 7));
}
