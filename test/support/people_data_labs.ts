// A server that speaks the enrichment API of People Data Labs: `GET /v5/person/enrich` and `GET /v5/company/enrich`.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Asked {
  kind: "person" | "company";
  query: URLSearchParams;
  key: string | undefined;
}

export interface PeopleDataLabsServer {
  url: string;
  asked: Asked[];
  /** Whom it knows: by an e-mail address, or by a website. */
  people: Map<string, object>;
  companies: Map<string, object>;
  /** Answers with this status, once for each, before anything else. */
  troubles: { status: number; retryAfter?: string }[];
  /** Called before it answers. */
  onAsked: ((one: Asked) => Promise<void> | void) | null;
}

const open = new Set<Server>();
after(() =>
  open.forEach((server) => {
    server.close();
    server.closeAllConnections();
  }),
);

export const pdlKey = "0123456789abcdef";

const types: Record<number, string> = {
  401: "authentication_error",
  402: "payment_required",
  404: "not_found",
  429: "rate_limit_error",
};

/** It is closed with the tests. */
export async function startPeopleDataLabs(): Promise<PeopleDataLabsServer> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, made.url);
    const kind = url.pathname === "/v5/person/enrich" ? "person" : "company";
    const one: Asked = { kind, query: url.searchParams, key: request.headers["x-api-key"] as string | undefined };
    made.asked.push(one);
    await made.onAsked?.(one);
    const refuse = (status: number, retryAfter?: string) => {
      const headers = { "content-type": "application/json", ...(retryAfter !== undefined && { "retry-after": retryAfter }) };
      response
        .writeHead(status, headers)
        .end(JSON.stringify({ status, error: { type: types[status] ?? "api_error", message: "No" } }));
    };
    const trouble = made.troubles.shift();
    if (trouble !== undefined) return refuse(trouble.status, trouble.retryAfter);
    if (one.key !== pdlKey) return refuse(401);
    const known = kind === "person" ? made.people : made.companies;
    const names = [...url.searchParams.getAll(kind === "person" ? "email" : "website"), url.searchParams.get("name") ?? ""];
    const found = names.map((name) => known.get(name)).find((record) => record !== undefined);
    if (found === undefined) return refuse(404);
    const likelihood = 9;
    if (likelihood < Number(url.searchParams.get("min_likelihood"))) return refuse(404);
    const body = kind === "person" ? { status: 200, likelihood, data: found } : { status: 200, likelihood, ...found };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const made: PeopleDataLabsServer = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    people: new Map(),
    companies: new Map(),
    troubles: [],
    onAsked: null,
  };
  open.add(server);
  return made;
}

/** A person as the API answers, with values that the account's plan does not include. */
export const ada = {
  id: "qEnOZ5Oh0poWnQ1luFBfVw_0000",
  full_name: "Ada Lovelace",
  job_title: "Chief Engineer",
  job_title_levels: ["cxo"],
  job_company_name: "Acme Rockets",
  job_company_website: "acme-rockets.example",
  job_company_industry: "Aviation & Aerospace",
  linkedin_url: "linkedin.com/in/ada-lovelace",
  headline: "Builds engines",
  location_name: "Berlin, Berlin, Germany",
  location_country: "Germany",
  location_region: "Berlin",
  work_email: true,
  mobile_phone: "+4915112345678",
};

export const acmeRockets = {
  id: "aKCIYBNF9ey6o5CjHCCO4goHYKlf",
  name: "acme rockets",
  display_name: "Acme Rockets Inc.",
  website: "acme-rockets.example",
  industry: "Aviation & Aerospace",
  summary: "Rockets for everybody.",
  employee_count: 250,
  founded: 1958,
  linkedin_url: "linkedin.com/company/acme-rockets",
  location: {
    street_address: "1 Launch Pad",
    locality: "Houston",
    region: "Texas",
    postal_code: "77001",
    country: "United States",
  },
};
