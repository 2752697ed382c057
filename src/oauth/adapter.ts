// The engine's storage, in our tables. It asks by the text of a token or code; only the hash of it is stored.
import { type Adapter, errors } from "oidc-provider";
import {
  consumeArtifact,
  deleteArtifact,
  deleteArtifactsOf,
  deleteClient,
  type Grace,
  type Payload,
  readArtifact,
  readGrant,
  revokeGrant,
  writeArtifact,
  writeGrant,
} from "../auth/unscoped_oauth.ts";
import type { Core } from "../core/core.ts";
import { readClient, storeClient } from "./clients.ts";

/**
 * Clients refresh twice at once, from two windows or two servers, and lose answers. For this long the same refresh token works again;
 * later it is taken for stolen, and ends everything that came from it.
 */
const refreshGrace: Grace = { ms: 120_000, uses: 50 };
const noGrace: Grace = { ms: 0, uses: 0 };

export function adapterFor(core: Core): (model: string) => Adapter {
  return (model) => {
    if (model === "Session") return forgetful;
    if (model === "Grant") return grants(core);
    if (model === "Client") return clients(core);
    return artifacts(core, model, model === "RefreshToken" ? refreshGrace : noGrace);
  };
}

/** For what has no end of its own: the token by which a client manages its registration. */
const century = 100 * 365 * 24 * 3600;

const never = async () => undefined;
const unused: Adapter = {
  upsert: never,
  find: never,
  findByUserCode: never,
  findByUid: never,
  consume: never,
  destroy: never,
  revokeByGrantId: never,
};

/** People are signed in by our own sessions. The engine's lasts for one answer, so that it asks for consent each time. */
const forgetful: Adapter = unused;

const clients = (core: Core): Adapter => ({
  ...unused,
  upsert: (id, payload) => storeClient(core, id, payload as Payload),
  find: async (id) => readClient(core, id),
  destroy: (id) => deleteClient(core, id),
});

const grants = (core: Core): Adapter => ({
  ...unused,
  upsert: (id, payload) => writeGrant(core.db, id, payload as Payload),
  find: async (id) => (await readGrant(core.db, id)) ?? undefined,
  destroy: (id) => revokeGrant(core, id),
});

const artifacts = (core: Core, model: string, grace: Grace): Adapter => ({
  ...unused,
  upsert(id, { jti: _, ...payload }, seconds = century) {
    const now = core.clock();
    const expires_at = new Date(now.getTime() + seconds * 1000);
    return writeArtifact(core.db, { model, value: id, payload, now, expires_at });
  },
  async find(id) {
    const payload = await readArtifact(core.db, model, id, grace, core.clock());
    return payload === null ? undefined : { ...payload, jti: id };
  },
  async consume(id) {
    if (!(await consumeArtifact(core.db, model, id, grace, core.clock()))) throw new errors.InvalidGrant("already used");
  },
  destroy: (id) => deleteArtifact(core.db, model, id),
  revokeByGrantId: (grantId) => deleteArtifactsOf(core.db, model, grantId),
});
