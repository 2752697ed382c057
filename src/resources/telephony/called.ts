// Requests from a provider, to an address that names the organization, signed with a shared secret. All others are refused before
// anything is done.
import { findCalledOrganization } from "../../auth/unscoped.ts";
import { type Ctx, query } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { Content } from "../../core/operation.ts";
import { sql, statement } from "../../db/sql.ts";
import { type Occasion, readingAs, systemActor } from "../../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../records/public_route.ts";
import { type Connected, connectedProvider } from "./provider.ts";

/** A request from the organization's own provider. */
export interface Called {
  core: Core;
  organization_id: string;
  connected: Connected;
  occasion: Occasion;
  /** The parts of the path after the token, by name. */
  params: Record<string, string>;
  form: Record<string, string>;
}

interface SignedRoute {
  name: string;
  /** The path after `/provider/twilio/{token}/`. */
  parts: readonly string[];
  doc: string;
  /** Returns instructions in the provider's own language, or null for none. A repeated request gets the same response. */
  run(called: Called): Promise<string | null>;
}

export function signedRoute({ name, parts, doc, run }: SignedRoute): PublicRoute {
  return {
    name,
    path: `/provider/twilio/{token}/${parts.join("/")}`,
    doc,
    methods: ["POST"],
    group: "provider",
    signed: true,
    async run(core, request) {
      const called = await hear(core, request, parts);
      if ("status" in called) return called;
      const answer = await run(called);
      return { status: 200, content: new Content("text/xml; charset=utf-8", answer ?? nothing) };
    },
  };
}

const nothing = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

async function hear(core: Core, request: PublicRequest, parts: readonly string[]): Promise<Called | PublicAnswer> {
  const { token = "", ...params } = request.params;
  const organizationId = /^[\w-]{32,64}$/.test(token) ? await findCalledOrganization(core.db, "twilio", token) : null;
  if (organizationId === null) return refused(404, "There is nothing at this address.");
  const occasion = { id: request.requestId, method: request.method, path: "/provider/twilio/" };
  const ctx = await readingAs(core, systemActor(organizationId), occasion);
  const connected = await connectedProvider(ctx);
  if (connected === null) return refused(404, "There is nothing at this address.");

  const address = connected.addressOf(...parts.map((part) => part.replace(/\{(.+)\}/, (_, name) => params[name] ?? "")));
  const { form, headers } = request;
  const isSigned = await connected.provider.hasSigned({ address, form, signature: String(headers["x-twilio-signature"] ?? "") });
  if (!isSigned) return refused(403, "The signature is not that of the organization's provider for this address.");
  const wrong = connected.provider.wrongIn(form);
  if (wrong !== null) return refused(403, `${wrong} is not as the organization's provider sends it.`);
  return { core, organization_id: organizationId, connected, occasion, params, form: storable(form) };
}

/** NUL cannot be stored. The rest of a text is worth more than none. */
const storable = (form: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.replaceAll("\0", "")]));

/** The provider repeats a report about a text or a call when it has not received our response. */
export async function isFirst(ctx: Ctx, provider_id: string): Promise<boolean> {
  const rows = await query(
    ctx,
    statement(sql`insert into received_text (organization_id, provider_id, date_created)
      values (${ctx.organization_id}, ${provider_id}, ${ctx.now}) on conflict do nothing returning provider_id`),
  );
  return rows.length > 0;
}

const refused = (status: number, words: string): PublicAnswer => ({
  status,
  content: new Content("text/plain; charset=utf-8", words),
});
