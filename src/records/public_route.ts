// What is served without a key, such as a shared file or a quote to accept. A secret in the path says which record it is.
import type { Actor, Ctx } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { Content } from "../core/operation.ts";
import { contextFor } from "../core/perform.ts";
import { permissions } from "../core/permissions.ts";

export interface PublicRequest {
  method: "GET" | "POST";
  params: Record<string, string>;
  query: Record<string, string>;
  /** The fields of a form, of a POST. */
  form: Record<string, string>;
  requestId: string;
  /** `range`, `user-agent` and the like, by lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface PublicAnswer {
  status: number;
  content: Content;
}

/** A path beside `/api/v1`, such as `/f/{token}/{name}`. Who asks is counted by their address. */
export interface PublicRoute {
  name: string;
  path: string;
  doc: string;
  methods: readonly ("GET" | "POST")[];
  run(core: Core, request: PublicRequest): Promise<PublicAnswer>;
}

/**
 * Runs `work` as the service itself, in one transaction of this organization. What it writes is written in the name of `userId`:
 * who made the record that a stranger now answers to.
 */
export async function asService<T>(
  core: Core,
  organizationId: string,
  userId: string,
  request: { id: string; method: string; path: string },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const directory = await core.directories.of(organizationId);
  const facts = { ...request, offsetMinutes: 0, ifMatch: null };
  const actor = serviceActor(organizationId, userId);
  return core.db.transaction(organizationId, (tx) => work(contextFor(core, { actor, request: facts }, directory, tx)));
}

const serviceActor = (organizationId: string, userId: string): Actor => ({
  organization_id: organizationId,
  user_id: userId,
  membership_id: "",
  role_id: "admin",
  permissions: new Set(permissions),
  scopes: new Set(["read", "write_safe", "write_destructive"]),
  past_due: false,
  api_key_id: null,
});
