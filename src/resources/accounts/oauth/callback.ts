// /connect/{provider}/callback/: where Google or Microsoft sends a member back. Reading the page changes nothing. It says who is
// going to use the account, because the link may have been made by another person. The button connects the account.
import { actorOfMember } from "../../../auth/unscoped_work.ts";
import type { Actor } from "../../../core/context.ts";
import type { Core } from "../../../core/core.ts";
import { asService, readingAs } from "../../../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../records/public_route.ts";
import type { OauthProvider } from "../../../services/oauth_providers.ts";
import { OauthRefused, OauthUnavailable } from "../../../services/oauth_tokens.ts";
import { organizationOf } from "../../organization/organization.ts";
import { user } from "../../organization/user.ts";
import { plainPage } from "../../shared/plain_page.ts";
import { NotConnectable } from "../connect_by_oauth.ts";
import { askingAs } from "./applications.ts";
import { connect } from "./connect.ts";
import { openState, type State, useState } from "./state.ts";

export const connectPage: PublicRoute = {
  name: "connected_account.page",
  path: "/connect/{provider}/callback",
  doc: "Where Google and Microsoft send a member after asking for access to their account.",
  methods: ["GET", "POST"],
  group: "link",
  async run(core, request) {
    const provider = providerNamed(core, request.params.provider!);
    if (provider === null) return page(404, "Connecting an account", "There is nothing at this address.");
    return answer(core, provider, request).catch((error: Error) => refusal(provider, error));
  },
};

const providerNamed = ({ settings }: Core, name: string): OauthProvider | null =>
  Object.values(settings.oauth).find(({ type }) => type === name) ?? null;

/** The error page shown instead of connecting: a status and a message. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(core: Core, provider: OauthProvider, request: PublicRequest): Promise<PublicAnswer> {
  const given = request.method === "POST" ? request.form : request.query;
  const { code, state: sealed } = checkAllowed(provider, given);
  const state = stateOf(core, provider, sealed);
  const actor = await memberOf(core, state);
  if (request.method === "GET") return ask(core, provider, { actor, code, sealed, requestId: request.requestId });

  await useOnce(core, state, sealed, request.requestId);
  const asked = await askingAs(core, state.organization_id, provider, state.client_id);
  if (asked === null) throw new Refusal(400, `${provider.name} is no longer configured here.`);
  const account = await connect(core, asked, { actor, state, code, requestId: request.requestId });
  return page(200, `${account.email} is connected`, `You can close this window.`);
}

// --- checks ---

function checkAllowed({ name }: OauthProvider, { error, code, state }: Record<string, string>): { code: string; state: string } {
  if (error !== undefined) {
    const why = error === "access_denied" ? `You did not allow it at ${name}.` : `${name} could not ask you.`;
    throw new Refusal(400, `${why} Nothing was connected. To try again, begin anew where you came from.`);
  }
  if (!code || !state) throw new Refusal(400, "This address is not complete. Begin anew where you came from.");
  return { code, state };
}

function stateOf(core: Core, provider: OauthProvider, sealed: string): State {
  const state = openState(core.settings, provider.type, sealed);
  if (state === null) throw new Refusal(400, "This address was not made by this service. Begin anew where you came from.");
  if (state.ends_at <= core.clock().getTime())
    throw new Refusal(410, "More than ten minutes have passed. Begin anew where you came from.");
  return state;
}

/** The member who requested it, with their present rights. */
async function memberOf(core: Core, { organization_id, user_id }: State): Promise<Actor> {
  const actor = await actorOfMember(core.db, organization_id, user_id);
  if (actor === null) throw new Refusal(403, "The person who requested this is no longer a member of the organization.");
  if (actor.past_due) throw new Refusal(402, "The organization's account is past due: settle it to connect accounts.");
  return actor;
}

async function useOnce(core: Core, { organization_id, user_id }: State, sealed: string, id: string): Promise<void> {
  const occasion = { id, method: "POST", path: "/connect/" };
  const isFirst = await asService(core, organization_id, user_id, occasion, (ctx) => useState(ctx, sealed));
  if (!isFirst) throw new Refusal(409, "This was answered already. To connect another account, begin anew where you came from.");
}

// --- pages ---

interface Asking {
  actor: Actor;
  code: string;
  sealed: string;
  requestId: string;
}

async function ask(core: Core, provider: OauthProvider, { actor, code, sealed, requestId }: Asking): Promise<PublicAnswer> {
  const { directory } = await readingAs(core, actor, { id: requestId, method: "GET", path: "/connect/" });
  const member = directory.get(user, actor.user_id)!;
  const organization = organizationOf(directory).name;
  const content = plainPage({
    title: `Connect your ${provider.name} account`,
    words: [
      `${member.name} (${member.email}) requests access, to work with its mail and calendars in ${organization}.`,
      "If that is not you, close this window, and nothing is connected.",
    ],
    form: {
      action: `${new URL(core.settings.base_url).pathname.replace(/\/$/, "")}/connect/${provider.type}/callback/`,
      button: "Connect",
      values: { code, state: sealed },
    },
  });
  return { status: 200, content };
}

const page = (status: number, title: string, ...words: string[]): PublicAnswer => ({
  status,
  content: plainPage({ title, words }),
});

function refusal({ name }: OauthProvider, error: Error): PublicAnswer {
  const title = `Your ${name} account was not connected`;
  if (error instanceof Refusal) return page(error.status, title, error.message);
  if (error instanceof NotConnectable) return page(409, title, error.message);
  if (error instanceof OauthRefused) return page(400, title, `${error.message}.`, "Begin anew where you came from.");
  if (error instanceof OauthUnavailable)
    return page(502, title, `${error.message}. Nothing is wrong with your account: please try again later.`);
  throw error;
}
