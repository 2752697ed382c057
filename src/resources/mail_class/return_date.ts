// Finds when somebody who is away is back: `until 14 August` → the 15th, `back on Monday` → that Monday.
import { Temporal } from "temporal-polyfill";

const noticeMax = 4000;
/** A person who is away for longer has left, or the year was misread. */
const daysMax = 550;

/**
 * The first day they are back, as `2026-08-17`. Null when none is named. `received` is the day on which it was written, and
 * `monthFirst` says how to read `8/9` when nothing else decides.
 */
export function returnDate(text: string, received: Temporal.PlainDate, monthFirst: boolean): string | null {
  const words = text
    .slice(0, noticeMax)
    .replace(/[’‘]/g, "'")
    .replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
    .replace(/\s+/g, " ")
    .toLowerCase();
  const found = datesIn(words, received, monthFirst);
  const back = found.find((one) => one.says === "back") ?? null;
  const until = found.filter((one) => one.says === "until").at(-1) ?? null;
  const day = back?.day ?? until?.day.add({ days: 1 }) ?? null;
  return day !== null && isPlausible(day, received) ? day.toString() : null;
}

const isPlausible = (day: Temporal.PlainDate, received: Temporal.PlainDate): boolean => {
  const { days } = received.until(day, { largestUnit: "days" });
  return days > 0 && days <= daysMax;
};

// --- the dates of a text, and the words around them ---

interface Named {
  day: Temporal.PlainDate;
  says: "back" | "until";
}

interface Written {
  at: number;
  end: number;
  day: Temporal.PlainDate;
  /** When the form says so: the second of `August 10-21`. */
  says?: Named["says"];
}

function datesIn(words: string, received: Temporal.PlainDate, monthFirst: boolean): Named[] {
  const written = [...withNames(words, received), ...withDigits(words, received, monthFirst), ...weekdays(words, received)]
    .sort((a, b) => a.at - b.at || b.end - a.end)
    .filter((one, i, all) => all.slice(0, i).every((before) => before.end <= one.at));
  return written.flatMap((one, i) => {
    const before = words.slice(written[i - 1]?.end ?? 0, one.at).slice(-contextMax);
    const behind = words.slice(one.end, written[i + 1]?.at).slice(0, contextMax);
    const says = one.says ?? saidOf(before, behind, i > 0);
    return says === null ? [] : [{ day: one.day, says }];
  });
}

/** How many characters before a date, and after it, may say what it means. */
const contextMax = 60;

/** The nearest words decide. Of two before a date, the last one. */
function saidOf(before: string, behind: string, isSecond: boolean): Named["says"] | null {
  const sentence = before.split(/[.!?。]\s/).at(-1)!;
  const [back, until] = [lastOf(sentence, backWords), lastOf(sentence, untilWords)];
  // `not back until 17 August`: on that day they are back.
  if (back >= 0 && (until < back || until - back < 20)) return "back";
  if (until >= 0) return "until";
  if (untilBehind.test(behind)) return "until";
  if (backBehind.test(behind)) return "back";
  return ranges.test(sentence) && (isSecond || begins.test(sentence)) ? "until" : null;
}

/** Languages with the verb at the end say it after the date. */
const untilBehind = /^\s*(?:まで|까지|asti|saakka|(?:\p{L}+ )?kadar)/u;
const backBehind =
  /^[^.!?。]{0,25}(?:zurück|wieder (?:da|im|erreichbar|anwesend)|terug|weer (?:bereikbaar|aanwezig|op)|tillbaka|tilbage|tilbake|takaisin|dönece|döner|戻|出社|復帰|返回|回来|上班|복귀)/u;

/**
 * `from 3 to 14 August`, `3-14 August`, `3 August - 14 August`: the words before the second date, and those that introduced the
 * first.
 */
const ranges =
  /(?:^|[\s\d.])(?:-|–|—|~|〜|～|to|and|und|bis|au|al|a|e|y|et|en|och|og|do|по|t\/m)\s*(?:the |den |el |le |il |o |dia )?$/u;
const begins =
  /(?<!\p{L})(?:from|between|vom|von|zwischen|du|del|desde|dal|de|van|från|fra|od|с)(?!\p{L})|\d{1,2}\.?\s?[-–—]\s?$/u;

const lastOf = (text: string, words: RegExp): number => [...text.matchAll(words)].at(-1)?.index ?? -1;

const backWords =
  /(?<!\p{L})(?:return(?:ing)?|(?:be|am|i'm) back|back (?:in|at|on|to)|back\b|resum(?:e|ing)|available (?:again|from)|reachable again|zurück|wieder (?:da|im|ab|am|erreichbar|zur|anwesend)|ab (?:dem|montag|dienstag|mittwoch|donnerstag|freitag)|de retour|(?:mon|mi) retour|reprendrai|de vuelta|regres\p{L}*|vuelvo|volver[ée]|(?:mi )?reincorpor\p{L}*|rientr\p{L}*|torner[òo]|di ritorno|retorn\p{L}*|voltarei|de volta|regressarei|terug|weer (?:bereikbaar|aanwezig|op)|tillbaka|åter|tilbage|tilbake|palaan|takaisin|wracam|wrócę|powr(?:ót|otem|acam)|od dnia|vrátím|zpět|вернусь|возвраща\p{L}*|выхожу|vissza\p{L}*|dönece\p{L}*|döneri\p{L}*)(?!\p{L})/gu;
const untilWords =
  /(?<!\p{L})(?:until|till|'til|through|thru|up to|bis(?: zum| einschließlich| inklusive)?|jusqu'?(?:au|à)|hasta(?: el)?|fino (?:al?|all'|a)|at[ée](?: o dia| ao| a| dia| o)?|tot(?: en met)?|t\/m|till och med|t\.?o\.?m\.?|till|frem til|til og med|t\.?o\.?m|til|do(?: dnia)?|до|по|至|到|直到|eddig)(?!\p{L})/gu;

// --- dates in words ---

const months: Record<string, number> = Object.fromEntries(
  [
    "january jan januar janvier janv enero ene gennaio gen janeiro januari jan. tammikuuta stycznia sty ledna января янв ocak",
    "february feb februar février févr fevrier febrero febbraio fevereiro fev februari helmikuuta lutego lut února февраля фев şubat",
    "march mar märz mrz maerz mars marzo março marco maart maaliskuuta marca března марта мар mart",
    "april apr avril avr abril abr aprile huhtikuuta kwietnia kwi dubna апреля апр nisan",
    "may mai mayo maggio mag maio mei maj toukokuuta maja května мая mayıs",
    "june jun juni juin junio giugno giu junho kesäkuuta czerwca cze června июня июн haziran",
    "july jul juli juillet juil julio luglio lug julho heinäkuuta lipca lip července июля июл temmuz",
    "august aug août aout agosto ago augustus augusti elokuuta sierpnia sie srpna августа авг ağustos",
    "september sep sept septembre septiembre settembre set setembro syyskuuta września wrz září сентября сен eylül",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuuta października paź října октября окт ekim",
    "november nov novembre noviembre novembro marraskuuta listopada lis listopadu ноября ноя kasım",
    "december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro joulukuuta grudnia gru prosince декабря дек aralık",
  ].flatMap((names, i) => names.split(" ").map((name) => [name, i + 1])),
);
// The longest name first: `mars` before `mar`.
const month = `(?:${Object.keys(months)
  .sort((a, b) => b.length - a.length)
  .map((name) => name.replace(".", "\\."))
  .join("|")})`;
const year = "(?:,?\\s?(?:de |del |do )?(20\\d\\d))?";
const dayThenMonth = new RegExp(
  `(?<![\\p{L}\\d.])(\\d{1,2})(?:st|nd|rd|th|er|º|°|ª|\\.)?\\s?(?:of |de |d'|den )?(${month})(?!\\p{L})\\.?${year}`,
  "gu",
);
const monthThenDay = new RegExp(`(?<!\\p{L})(${month})\\.?\\s(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?!\\d|[:.]\\d)${year}`, "gu");
const monthThenDays = new RegExp(
  `(?<!\\p{L})(${month})\\.?\\s\\d{1,2}(?:st|nd|rd|th)?\\s?(?:-|–|to|through|until)\\s?(\\d{1,2})(?:st|nd|rd|th)?(?!\\d|[:.]\\d)${year}`,
  "gu",
);
const inJapanese = /(?:(20\d\d)\s?年\s?)?(\d{1,2})\s?月\s?(\d{1,2})\s?日/g;

function withNames(words: string, received: Temporal.PlainDate): Written[] {
  return [
    ...all(words, dayThenMonth, ([, day, name, of]) => dateOf(of, months[name!]!, day!, received)),
    ...all(words, monthThenDay, ([, name, day, of]) => dateOf(of, months[name!]!, day!, received)),
    ...all(words, inJapanese, ([, of, number, day]) => dateOf(of, Number(number), day!, received)),
    ...all(words, monthThenDays, ([, name, day, of]) => dateOf(of, months[name!]!, day!, received)).map(
      (one) => ({ ...one, says: "until" }) as const,
    ),
  ];
}

// --- dates in digits ---

const iso = /(?<![\d/.-])(20\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?![\d/])/g;
const dotted = /(?<![\d/.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(20\d\d|\d\d)(?![\d:]))?/g;
const slashed = /(?<![\d/.-])(\d{1,2})[/-](\d{1,2})(?:[/-](20\d\d|\d\d))?(?![\d/-])/g;

function withDigits(words: string, received: Temporal.PlainDate, monthFirst: boolean): Written[] {
  return [
    ...all(words, iso, ([, of, number, day]) => dateOf(of, Number(number), day!, received)),
    ...all(words, dotted, ([, day, number, of]) => dateOf(fullYear(of), Number(number), day!, received)),
    ...all(words, slashed, ([, first, second, of]) => {
      const swapped = Number(second) > 12 || (monthFirst && Number(first) <= 12);
      const [number, day] = swapped ? [first!, second!] : [second!, first!];
      return dateOf(fullYear(of), Number(number), day, received);
    }),
  ];
}

const fullYear = (of: string | undefined): string | undefined => (of?.length === 2 ? `20${of}` : of);

/** Without a year it is the next such day, or yesterday. */
function dateOf(of: string | undefined, number: number, day: string, received: Temporal.PlainDate): Temporal.PlainDate | null {
  const at = (inYear: number) => {
    try {
      return Temporal.PlainDate.from({ year: inYear, month: number, day: Number(day) }, { overflow: "reject" });
    } catch {
      return null;
    }
  };
  if (of !== undefined) return at(Number(of));
  const thisYear = at(received.year);
  const isOver = thisYear !== null && Temporal.PlainDate.compare(thisYear, received.subtract({ months: 3 })) < 0;
  return isOver ? at(received.year + 1) : thisYear;
}

// --- days of the week ---

const weekdayNames: readonly (readonly string[])[] = [
  "monday montag lundi lunes lunedì segunda-feira maandag måndag mandag maanantai poniedziałek poniedziałku pondělí понедельник pazartesi".split(
    " ",
  ),
  "tuesday dienstag mardi martes martedì terça-feira dinsdag tisdag tirsdag tiistai wtorek wtorku úterý вторник salı".split(" "),
  "wednesday mittwoch mercredi miércoles mercoledì quarta-feira woensdag onsdag keskiviikko środę środy středu среду çarşamba".split(
    " ",
  ),
  "thursday donnerstag jeudi jueves giovedì quinta-feira donderdag torsdag torstai czwartek czwartku čtvrtek четверг perşembe".split(
    " ",
  ),
  "friday freitag vendredi viernes venerdì sexta-feira vrijdag fredag perjantai piątek piątku pátek пятницу cuma".split(" "),
];
const weekday = new RegExp(
  `(?<!\\p{L})(?:${weekdayNames.flat().join("|")})(?!\\p{L})(?!,? (?:the |den |el |le |il |der |dem )?\\d|,? ${month})`,
  "gu",
);

/** The next day of that name. A date beside it is more exact, and is used instead. */
function weekdays(words: string, received: Temporal.PlainDate): Written[] {
  return all(words, weekday, ([name]) => {
    const wanted = weekdayNames.findIndex((names) => names.includes(name)) + 1;
    return received.add({ days: ((wanted - received.dayOfWeek + 6) % 7) + 1 });
  });
}

function all(words: string, pattern: RegExp, read: (match: RegExpExecArray) => Temporal.PlainDate | null): Written[] {
  return [...words.matchAll(pattern)].flatMap((match) => {
    const day = read(match as RegExpExecArray);
    return day === null ? [] : [{ at: match.index, end: match.index + match[0].length, day }];
  });
}
