// Writes a short letter from phrases, in four languages and three tones.
import type { Language } from "./language_of.ts";

export const tones = ["formal", "friendly", "direct"] as const;
export type Tone = (typeof tones)[number];

/** What a letter is for, recognized by the words of who asked for it. */
type Aim = "meeting" | "offer" | "thanks" | "payment" | "introduction" | "reply" | "follow_up" | "topic";

const aims: readonly (readonly [Aim, RegExp])[] = [
  ["payment", /invoice|payment|overdue bill|rechnung|zahlung|facture|paiement|factura|pago/i],
  ["meeting", /meeting|meet|demo|call|appointment|termin|treffen|anruf|rendez-vous|réunion|reunión|cita/i],
  ["offer", /offer|proposal|quote|pricing|price|angebot|preis|offre|devis|prix|oferta|presupuesto|precio/i],
  ["thanks", /thank|danke|dank|merci|remerci|gracias|agradec/i],
  ["introduction", /introduc|first contact|cold|present (?:us|our)|vorstell|présent|presenta/i],
  ["follow_up", /follow[- ]?up|check in|remind|nachfass|erinner|relanc|rappel|seguimiento|recordar/i],
];

interface Phrases {
  hello: Readonly<Record<Tone, string>>;
  someone: string;
  bye: Readonly<Record<Tone, string>>;
  subject: Readonly<Record<Aim, string>>;
  body: Readonly<Record<Aim, string>>;
  /** The last sentence: what is asked for. */
  ask: Readonly<Record<Tone, string>>;
}

/** `{company}` is the lead's name, `{topic}` what the letter is to be about. */
const phrases: Readonly<Record<Language, Phrases>> = {
  en: {
    hello: { formal: "Dear {name},", friendly: "Hi {name},", direct: "{name}," },
    someone: "Sir or Madam",
    bye: { formal: "Kind regards,", friendly: "Best,", direct: "Regards," },
    subject: {
      meeting: "A meeting with {company}",
      offer: "Our offer for {company}",
      thanks: "Thank you",
      payment: "Our invoice to {company}",
      introduction: "An introduction",
      reply: "Your message",
      follow_up: "Following up",
      topic: "{topic}",
    },
    body: {
      meeting: "I would like to find a time to talk about what matters to {company} at the moment.",
      offer: "As discussed, this is about our offer for {company}. I am glad to go through the details with you.",
      thanks: "Thank you for your time and your interest. It was good to learn more about {company}.",
      payment:
        "This is a reminder of our invoice, which seems to be open still. If it is paid already, please ignore this message.",
      introduction: "I am writing to introduce myself and to learn what {company} is working on.",
      reply: "Thank you for your message. I have read it and come back to you with this answer.",
      follow_up: "I wanted to follow up on our last contact and hear where things stand at {company}.",
      topic: "I am writing to you about this: {topic}.",
    },
    ask: {
      formal: "I would be grateful for a short answer at your convenience.",
      friendly: "What do you think? I am happy to hear from you.",
      direct: "Does this week suit you?",
    },
  },
  de: {
    hello: { formal: "Guten Tag {name},", friendly: "Hallo {name},", direct: "{name}," },
    someone: "in die Runde",
    bye: { formal: "Mit freundlichen Grüßen", friendly: "Viele Grüße", direct: "Gruß" },
    subject: {
      meeting: "Ein Termin mit {company}",
      offer: "Unser Angebot für {company}",
      thanks: "Vielen Dank",
      payment: "Unsere Rechnung an {company}",
      introduction: "Eine kurze Vorstellung",
      reply: "Ihre Nachricht",
      follow_up: "Kurze Nachfrage",
      topic: "{topic}",
    },
    body: {
      meeting: "ich würde gerne einen Termin finden, um über das zu sprechen, was {company} gerade beschäftigt.",
      offer: "wie besprochen geht es um unser Angebot für {company}. Gerne gehe ich die Einzelheiten mit Ihnen durch.",
      thanks: "vielen Dank für Ihre Zeit und Ihr Interesse. Es war gut, mehr über {company} zu erfahren.",
      payment:
        "dies ist eine Erinnerung an unsere Rechnung, die noch offen zu sein scheint. Falls sie schon bezahlt ist, sehen Sie diese Nachricht als erledigt an.",
      introduction: "ich möchte mich kurz vorstellen und erfahren, woran {company} arbeitet.",
      reply: "vielen Dank für Ihre Nachricht. Ich habe sie gelesen und melde mich mit dieser Antwort.",
      follow_up: "ich möchte an unseren letzten Kontakt anknüpfen und hören, wie es bei {company} steht.",
      topic: "ich schreibe Ihnen hierzu: {topic}.",
    },
    ask: {
      formal: "Über eine kurze Antwort würde ich mich freuen.",
      friendly: "Was meinen Sie dazu? Ich freue mich, von Ihnen zu hören.",
      direct: "Passt es Ihnen diese Woche?",
    },
  },
  fr: {
    hello: { formal: "Bonjour {name},", friendly: "Bonjour {name},", direct: "{name}," },
    someone: "Madame, Monsieur",
    bye: { formal: "Cordialement,", friendly: "Bien à vous,", direct: "Cordialement," },
    subject: {
      meeting: "Un rendez-vous avec {company}",
      offer: "Notre offre pour {company}",
      thanks: "Merci",
      payment: "Notre facture à {company}",
      introduction: "Une présentation",
      reply: "Votre message",
      follow_up: "Suite à notre échange",
      topic: "{topic}",
    },
    body: {
      meeting: "Je souhaite convenir d'un moment pour parler de ce qui compte pour {company} actuellement.",
      offer:
        "Comme convenu, voici ce qui concerne notre offre pour {company}. Je reste à votre disposition pour en voir les détails.",
      thanks: "Merci pour votre temps et votre intérêt. J'ai eu plaisir à mieux connaître {company}.",
      payment:
        "Voici un rappel de notre facture, qui semble encore ouverte. Si elle est déjà réglée, ne tenez pas compte de ce message.",
      introduction: "Je me permets de me présenter et de découvrir les projets de {company}.",
      reply: "Merci pour votre message. Je l'ai lu et je reviens vers vous avec cette réponse.",
      follow_up: "Je reviens vers vous à la suite de notre dernier échange, pour savoir où en est {company}.",
      topic: "Je vous écris à ce sujet : {topic}.",
    },
    ask: {
      formal: "Je vous remercie par avance de votre réponse.",
      friendly: "Qu'en pensez-vous ? Au plaisir de vous lire.",
      direct: "Cette semaine vous convient-elle ?",
    },
  },
  es: {
    hello: { formal: "Buenos días, {name}:", friendly: "Hola, {name}:", direct: "{name}:" },
    someone: "señora o señor",
    bye: { formal: "Atentamente,", friendly: "Saludos,", direct: "Saludos," },
    subject: {
      meeting: "Una reunión con {company}",
      offer: "Nuestra oferta para {company}",
      thanks: "Gracias",
      payment: "Nuestra factura a {company}",
      introduction: "Una presentación",
      reply: "Su mensaje",
      follow_up: "Seguimiento",
      topic: "{topic}",
    },
    body: {
      meeting: "Me gustaría encontrar un momento para hablar de lo que importa a {company} ahora.",
      offer: "Como acordamos, le escribo por nuestra oferta para {company}. Con gusto repaso los detalles con usted.",
      thanks: "Gracias por su tiempo y su interés. Fue un gusto conocer mejor a {company}.",
      payment: "Le recuerdo nuestra factura, que parece seguir pendiente. Si ya está pagada, no tenga en cuenta este mensaje.",
      introduction: "Le escribo para presentarme y conocer los proyectos de {company}.",
      reply: "Gracias por su mensaje. Lo he leído y le respondo con estas líneas.",
      follow_up: "Le escribo tras nuestro último contacto para saber cómo va todo en {company}.",
      topic: "Le escribo por lo siguiente: {topic}.",
    },
    ask: {
      formal: "Le agradecería una breve respuesta.",
      friendly: "¿Qué le parece? Espero sus noticias.",
      direct: "¿Le viene bien esta semana?",
    },
  },
};

export interface Letter {
  /** What it is to say; empty for a follow-up. */
  instructions: string;
  tone: Tone;
  language: Language;
  /** The first name of who gets it, where known. */
  name: string | null;
  company: string;
  sender: string;
  isReply: boolean;
}

/** The subject, and the paragraphs in their order. */
export function letterOf({ instructions, tone, language, name, company, sender, isReply }: Letter): {
  subject: string;
  paragraphs: string[];
} {
  const words = phrases[language];
  const topic = instructions
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!?]+$/, "")
    .slice(0, 500)
    .toWellFormed();
  const told = toldIn(topic);
  const aim = told === null ? aimOf(topic, isReply) : "topic";
  // One pass: what is filled in is text, and is not looked through again.
  const values: ReadonlyMap<string, string> = new Map([
    ["name", name ?? words.someone],
    ["company", company],
    ["topic", told === null ? topic : beginningOf(told)],
  ]);
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, key) => values.get(key) ?? "");
  const about = aim !== "topic" && topic !== "" && topic.split(" ").length > 6 ? [filled(words.body.topic)] : [];
  const body = told === null ? filled(words.body[aim]) : `${told}.`;
  return {
    subject: filled(words.subject[aim]).slice(0, 200).toWellFormed(),
    paragraphs: [filled(words.hello[tone]), body, ...about, words.ask[tone], `${words.bye[tone]}\n${sender}`],
  };
}

/** The sentence itself, where the instructions give it: "tell them that the price goes up". Null otherwise. */
function toldIn(topic: string): string | null {
  const [, sentence] =
    /^(?:please )?(?:(?:tell|inform) (?:them|him|her|\p{Lu}\p{L}+)(?: that)?|let (?:them|him|her|\p{Lu}\p{L}+) know(?: that)?|(?:say|write|mention) that) (.{10,})$/iu.exec(
      topic,
    ) ?? [];
  // What speaks of its reader as of a third person is no sentence for a letter.
  return sentence === undefined || /\b(?:ask|they|them|their)\b/i.test(sentence)
    ? null
    : sentence[0]!.toUpperCase() + sentence.slice(1);
}

/** For a subject: whole words. */
const beginningOf = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60).replace(/\s+\S*$/, "")} …`);

/** What is named first: thanks for a meeting are thanks. */
function aimOf(topic: string, isReply: boolean): Aim {
  const named = aims
    .map(([aim, sign]) => ({ aim, at: aim === "payment" && sign.test(topic) ? -1 : topic.search(sign), is: sign.test(topic) }))
    .filter(({ is }) => is)
    .sort((a, b) => a.at - b.at)[0]?.aim;
  return named ?? (isReply ? "reply" : topic === "" ? "follow_up" : "topic");
}
