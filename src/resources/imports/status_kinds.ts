// What the words for a stage mean, wherever they come from: the deal or the lead is open, won or lost.
import type { StatusType } from "../opportunities/opportunity_status.ts";

/** The stages and lead statuses that HubSpot, Salesforce, Pipedrive, Close, Zoho, Copper and Freshsales begin with, and plain words. */
const words: Readonly<Record<StatusType, string>> = {
  won: `won, closed won, deal won, contract signed, signed, customer, client, evangelist,
    gewonnen, kunde, gagné, gagnée, client gagné, ganado, ganada, ganho, vinto, gewonnen deal, vunnet`,
  lost: `lost, closed lost, deal lost, closed lost to competition, lost lead, lead lost, abandoned, rejected, declined, dead, unqualified,
    disqualified, not qualified, bad fit, bad timing, no fit, not interested, closed not converted, not converted, junk, junk lead, spam,
    verloren, perdu, perdue, perdido, perdida, perso, tapt`,
  active: `active, open, new, in progress, working, ongoing, pending, open deal, lead, lead in, new lead, raw, subscriber, potential,
    converted, closed converted, lead converted, trial, prospect, prospecting, opportunity, appointment scheduled, qualified to buy, presentation scheduled, decision maker bought in,
    contract sent, qualification, qualify, qualified, pre qualified, needs analysis, needs defined, value proposition, discovery,
    id decision makers, identify decision makers, perception analysis, proposal price quote, negotiation review, meet present, propose,
    negotiate, proposal, proposal made, proposal sent, quote, quote sent, negotiation, negotiations started, contact made, demo,
    demo scheduled, demo completed, meeting scheduled, presentation, follow up, attempted to contact, contacted, not contacted,
    connected, nurturing, nurture, contact in future, interested, open not contacted, working contacted, marketing qualified lead,
    sales qualified lead, mql, sql, engaged, offen, in arbeit, neu, en cours, ouvert, ouverte, nouveau, abierto, abierta, nuevo, aberto,
    aperto, nieuw, ny`,
};

/** The letters and digits of a label, which say what it is. */
export const plainLabel = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

const kinds: ReadonlyMap<string, StatusType> = new Map(
  (Object.keys(words) as StatusType[]).flatMap((kind) => words[kind].split(",").map((one) => [plainLabel(one), kind] as const)),
);

/** What words mean; null for those that could be anything. A number before them is that of a step, or its probability. */
export function kindOfWords(text: string): StatusType | null {
  const stage = text.replace(/^[\d\s%.:)/-]+(?=\p{L})/u, "");
  return kinds.get(plainLabel(text)) ?? kinds.get(plainLabel(stage)) ?? closedBy(stage);
}

/** `Lost - no budget` and `Closed Won (annual)` say it, with more. */
function closedBy(text: string): StatusType | null {
  const all = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const said = (kind: "won" | "lost") =>
    all.some(
      (one, i) => one === kind && (i === 0 || i === all.length - 1 || all[i - 1] === "closed") && !denials.has(all[i - 1]),
    );
  const [won, lost] = [said("won"), said("lost")];
  return won === lost ? null : won ? "won" : "lost";
}

const denials: ReadonlySet<string | undefined> = new Set(["not", "never", "almost", "nearly", "likely", "probably", "soon"]);
