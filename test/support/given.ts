// What a test starts from: an organization of its own, and records made through the API with their parents.

import type { Ctx } from "../../src/core/context.ts";
import { announcements } from "../../src/core/directory.ts";
import { asService } from "../../src/records/acting.ts";
import { createAccount, findOrCreateUser, foundOrganization, writeKey } from "../../src/resources/organization/found.ts";
import { newId } from "../../src/values/id.ts";
import { Client } from "./client.ts";
import { type Service, service } from "./service.ts";

let count = 0;
const unique = () => `${process.pid}-${++count}-${Math.random().toString(36).slice(2, 8)}`;

/** A client of an organization, with builders for records. */
export class Workspace extends Client {
  readonly id: string;
  readonly userId: string;

  constructor(service: Service, key: string, id: string, userId: string) {
    super(service, key);
    this.id = id;
    this.userId = userId;
  }

  lead = (body: object = {}): Promise<any> => this.post("/lead/", { name: `Lead ${unique()}`, ...body });
  contact = (body: object = {}): Promise<any> => this.post("/contact/", { name: `Contact ${unique()}`, ...body });
  opportunity = (body: object = {}): Promise<any> => this.post("/opportunity/", { ...body });
  product = (body: object = {}): Promise<any> => this.post("/product/", { name: `Product ${unique()}`, ...body });

  async task(body: { lead_id?: string; [field: string]: unknown } = {}): Promise<any> {
    return this.post("/task/", { lead_id: body.lead_id ?? (await this.lead()).id, text: "Call back", ...body });
  }

  async note(body: { lead_id?: string; [field: string]: unknown } = {}): Promise<any> {
    return this.post("/activity/note/", { lead_id: body.lead_id ?? (await this.lead()).id, note: "A note", ...body });
  }

  customField = (objectType: string, body: object): Promise<any> =>
    this.post(`/custom_field/${objectType}/`, { name: `Field ${unique()}`, ...body });

  /** Another active member of this organization, with their own key. `role` is a built-in role or a role's id. */
  async member(role = "user", domain = "example.com"): Promise<Workspace> {
    const { db } = this.service.app;
    const now = new Date();
    const made = await db.unscopedTransaction(async (tx) => {
      const userId = await findOrCreateUser(tx, {
        email: `${unique()}@${domain}`,
        first_name: "Member",
        last_name: unique(),
        now,
      });
      tx.write({
        text: `insert into membership (organization_id, id, user_id, role_id, status, date_created, date_updated) values ($1, $2, $3, $4, 'active', $5, $5)`,
        values: [this.id, newId("memb"), userId, role, now],
      });
      const { api_key } = writeKey(tx, { organizationId: this.id, userId, name: "test", now });
      tx.write({ text: "select pg_notify($1, $2)", values: [announcements, this.id] });
      return { userId, api_key };
    });
    this.service.app.core.directories.forget(this.id);
    this.service.app.authenticator.forget(this.id);
    return new Workspace(this.service, made.api_key, this.id, made.userId);
  }

  /** Acts as the service itself in this organization, for things that the API does not offer. */
  inside<T>(work: (ctx: Ctx) => Promise<T>): Promise<T> {
    return asService(this.service.app.core, this.id, this.userId, { id: "req_test", method: "POST", path: "/" }, work);
  }

  /** A further organization of the same person, who is its admin too. */
  async another(): Promise<Workspace> {
    const made = await this.post("/organization/", { name: `Org ${unique()}` });
    return new Workspace(this.service, made.api_key, made.id, this.userId);
  }

  /** Makes this person a member of another organization as well. */
  async joins(other: Workspace, role = "user"): Promise<void> {
    await this.service.app.db.unscopedTransaction(async (tx) => {
      tx.write({
        text: `insert into membership (organization_id, id, user_id, role_id, status, date_created, date_updated) values ($1, $2, $3, $4, 'active', now(), now())`,
        values: [other.id, newId("memb"), this.userId, role],
      });
    });
    this.service.app.core.directories.forget(other.id);
    this.service.app.authenticator.forget(other.id);
  }

  /** A member whose role has exactly these permissions. */
  async memberWith(permissions: readonly string[]): Promise<Workspace> {
    const role = newId("role");
    const now = new Date();
    await this.service.app.db.unscopedTransaction(async (tx) => {
      tx.write({
        text: `insert into role (organization_id, id, name, permissions, date_created, date_updated) values ($1, $2, $3, $4, $5, $5)`,
        values: [this.id, role, `Role ${unique()}`, permissions, now],
      });
    });
    return this.member(role);
  }
}

/** A new organization with one admin. */
export async function organization(given?: Service): Promise<Workspace> {
  const on = given ?? (await service());
  const now = new Date();
  const made = await on.app.db.unscopedTransaction(async (tx) => {
    const userId = await findOrCreateUser(tx, { email: `${unique()}@example.com`, first_name: "Ada", last_name: "Admin", now });
    const accountId = createAccount(tx, { name: "Test", ownerId: userId, now });
    return { userId, ...foundOrganization(tx, { name: `Org ${unique()}`, userId, accountId, keyName: "test", now }) };
  });
  return new Workspace(on, made.api_key, made.organization_id, made.userId);
}
