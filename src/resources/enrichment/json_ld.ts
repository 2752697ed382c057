// The company in the structured data of a page: schema.org's Organization as JSON-LD. Another company that the page is about, or that
// made it, is not meant.
import { plain } from "./found.ts";

export interface Described {
  name: string | null;
  description: string | null;
  phone: string | null;
  /** In the words of a lead's `addresses`. */
  address: Record<string, string> | null;
  logo_url: string | null;
  founded_year: number | null;
  employee_count: number | null;
  /** Its profiles elsewhere, as they are written. */
  same_as: string[];
}

type Json = Record<string, unknown>;

const nothing: Described = {
  name: null,
  description: null,
  phone: null,
  address: null,
  logo_url: null,
  founded_year: null,
  employee_count: null,
  same_as: [],
};

/** schema.org has some hundred kinds of organization, which are named by these words. */
const kinds = /(Organization|Corporation|Business|Store|NGO|Agency|Company|Restaurant|Hotel|Dentist|Attorney|Service)$/;
const nodesMost = 500;
const depthMost = 6;

export function companyIn(scripts: readonly string[], site: URL): Described {
  for (const script of scripts)
    for (const node of nodesOf(parsed(script))) if (isCompany(node) && isOwn(node, site)) return described(node);
  return nothing;
}

function parsed(script: string): unknown {
  try {
    return JSON.parse(script);
  } catch {
    return null;
  }
}

/** All objects, the outer ones first. */
function nodesOf(root: unknown): Json[] {
  const found: Json[] = [];
  let level: unknown[] = [root];
  for (let depth = 0; depth < depthMost && level.length > 0 && found.length < nodesMost; depth++) {
    const objects = level.slice(0, nodesMost).filter((one) => typeof one === "object" && one !== null) as Json[];
    found.push(...objects.filter((one) => !Array.isArray(one)));
    level = objects.flatMap((one) => Object.values(one).slice(0, nodesMost));
  }
  return found.slice(0, nodesMost);
}

const isCompany = (node: Json): boolean => [node["@type"]].flat().some((type) => typeof type === "string" && kinds.test(type));

function isOwn({ url }: Json, site: URL): boolean {
  const own = (host: string) => host.replace(/^www\./, "");
  const named = typeof url === "string" ? URL.parse(url, site.href) : null;
  return named === null || own(named.hostname) === own(site.hostname);
}

function described(node: Json): Described {
  const contactPoint = [node.contactPoint].flat()[0] as Json | undefined;
  const logo = [node.logo].flat()[0] as Json | string | undefined;
  const employees = node.numberOfEmployees as Json | number | undefined;
  return {
    name: plain(node.name),
    description: plain(node.description, 1_000),
    phone: plain(node.telephone, 50) ?? plain(contactPoint?.telephone, 50),
    address: addressOf([node.address].flat()[0]),
    logo_url: plain(typeof logo === "object" ? (logo?.url ?? logo?.contentUrl) : logo, 2_048),
    founded_year: yearOf(node.foundingDate),
    employee_count: countOf(typeof employees === "object" ? employees?.value : employees),
    same_as: [node.sameAs]
      .flat()
      .filter((one): one is string => typeof one === "string")
      .slice(0, 50),
  };
}

function addressOf(node: unknown): Record<string, string> | null {
  if (typeof node !== "object" || node === null) return null;
  const { streetAddress, addressLocality, addressRegion, postalCode, addressCountry } = node as Json;
  const country = typeof addressCountry === "object" ? (addressCountry as Json | null)?.name : addressCountry;
  const parts = {
    address_1: plain(streetAddress),
    city: plain(addressLocality),
    state: plain(addressRegion),
    zipcode: plain(postalCode),
    country: plain(country),
  };
  const known = Object.entries(parts).filter((entry): entry is [string, string] => entry[1] !== null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

function yearOf(value: unknown): number | null {
  const year = Number(/^\d{4}/.exec(String(value))?.[0] ?? Number.NaN);
  return year >= 1000 && year <= 2100 ? year : null;
}

function countOf(value: unknown): number | null {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : null;
}
