// Reading the organization includes its members, because clients need their names to show anything else.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { type JsonText, operation, unchanged } from "../../core/operation.ts";
import { readFieldNames } from "../../records/list_input.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showRecord } from "../../records/records.ts";
import { renderRow } from "../../records/render.ts";
import { recordWith } from "../../records/single.ts";
import type { Alone } from "../../records/standard_operation.ts";
import { membership } from "./membership.ts";
import { organization } from "./organization.ts";
import { user } from "./user.ts";

const member = (outputSchema(membership) as z.ZodObject).extend({ user: outputSchema(user).optional() });
const output = (outputSchema(organization) as z.ZodObject).extend({
  memberships: z.array(member).describe("Members and invited people."),
  inactive_memberships: z.array(member).describe("Former members."),
});

export const getOrganization = operation({
  name: "organization.get",
  method: "GET",
  path: "/organization/{id}/",
  doc: "Returns the organization that the key belongs to.",
  permission: "member",
  mcp: false,
  otherwise: { 304: unchanged },
  input: {
    id: z.string(),
    _fields: z.string().optional().describe("Only these fields, separated by commas."),
    _expand: z.enum(["memberships__user"]).optional().describe("Adds related records: memberships__user."),
  },
  output,
  async run(ctx, { id, _fields, _expand }) {
    const fields = readFieldNames(_fields);
    return withMemberships(ctx, await showRecord(ctx, organization, id, fields), fields, _expand !== undefined);
  },
});

/** An update returns what a read shows. */
export const memberships: Alone = {
  output: () => output,
  add: async (ctx, _id, record, fields) => withMemberships(ctx, record, fields, false),
};

function withMemberships(ctx: Ctx, record: JsonText, fields: readonly string[] | null, withUser: boolean): JsonText {
  const all = ctx.directory.list(membership);
  const lists = {
    memberships: all.filter((one) => one.status !== "inactive"),
    inactive_memberships: all.filter((one) => one.status === "inactive"),
  };
  const members = Object.entries(lists)
    .filter(([key]) => fields === null || fields.includes(key))
    .map(([key, rows]) => `,"${key}":[${rows.map((row) => render(ctx, row, withUser)).join(",")}]`);
  return recordWith(record, members.join(""));
}

function render(ctx: Ctx, row: ReturnType<typeof ctx.directory.list<typeof membership>>[number], withUser: boolean): string {
  const lookup = (name: string) => ctx.registry.resource(name);
  const text = renderRow(membership, row, ctx.directory, ctx, lookup);
  const person = ctx.directory.get(user, row.user_id);
  return withUser && person ? `${text.slice(0, -1)},"user":${renderRow(user, person, ctx.directory, ctx, lookup)}}` : text;
}
