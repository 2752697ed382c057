// Whether a person opened a mail or followed a link, or a program did: a proxy that preloads every picture, or a scanner that
// follows every link.
import type { PublicRequest } from "../../records/public_route.ts";

/** The request itself shows it. */
export function isByMachine({ isHead, headers }: Pick<PublicRequest, "isHead" | "headers">): boolean {
  const of = (name: string) => [headers[name] ?? ""].flat().join(" ");
  const isAhead = ["purpose", "sec-purpose", "x-moz", "x-purpose"].some((name) => /prefetch|preview|prerender/i.test(of(name)));
  return isHead || isAhead || isMachine(of("user-agent"));
}

/** Apple's Mail Privacy Protection sends only the first word of a browser's name. */
const isMachine = (agent: string): boolean =>
  agent.trim() === "" || /^mozilla\/5\.0$/i.test(agent.trim()) || programs.test(agent);

const programs =
  /bot\b|bot\/|crawl|spider|slurp|preview|scan|monitor|fetch|curl|wget|libwww|python|java\/|go-http|okhttp|axios|node-fetch|undici|headless|phantom|puppeteer|playwright|selenium|barracuda|proofpoint|mimecast|ironport|fireeye|trendmicro|symantec|messagelabs|forcepoint|zscaler|sophos|cloudmark|urldefense|safelinks|microsoft office existence/i;

/** Nobody reads this fast. */
const soonMs = 2000;

export const isTooSoon = (at: Date, sent: Date | null): boolean => sent === null || at.getTime() - sent.getTime() < soonMs;

export interface Click {
  at: Date;
  address: string;
  url: string;
}

/** Nobody follows three links in ten seconds, or two in one. A scanner follows them all. */
const bursts = [
  { links: 3, ms: 10_000 },
  { links: 2, ms: 1000 },
];

/** The longest time after a click in which other clicks help to classify it. */
export const burstMs = Math.max(...bursts.map(({ ms }) => ms));

export const isInBurst = (one: Click, clicks: readonly Click[]): boolean =>
  bursts.some(({ links, ms }) => {
    const near = clicks.filter(({ at, address }) => address === one.address && Math.abs(at.getTime() - one.at.getTime()) <= ms);
    return new Set(near.map(({ url }) => url)).size >= links;
  });
