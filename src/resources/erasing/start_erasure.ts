// `POST /contact/{id}/erase/`: a person asked to be erased. What is theirs is looked for at once; a job erases it.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { erasure, erasureJobs } from "./erasure.ts";
import { personOf } from "./person.ts";

export const eraseContact = operation({
  name: "contact.erase",
  method: "POST",
  path: "/contact/{id}/erase/",
  doc: "Erases a person who asked for it: the contact, what was said with them, and every trace of their name, addresses and numbers in other records, files and the log. It cannot be undone.",
  permission: "manage_organization",
  mcp: false,
  status: 201,
  input: {
    id: z.string(),
    keep_files: z
      .boolean()
      .default(false)
      .describe("Files of other records that name the person stay, and the receipt lists them."),
  },
  get output() {
    return outputSchema(erasure);
  },
  async run(ctx, { id, keep_files }) {
    const found = await lockRecord(ctx, contact, id);
    await refuseWhileErased(ctx, id);
    const { person, n_shared } = await personOf(ctx, found);
    const receipt = {
      deleted: {},
      rewritten: {},
      files: {},
      kept_file_ids: [],
      n_shared,
      salt: randomBytes(16).toString("hex"),
      values: [],
    };
    const row = store.insert(ctx, erasure, { contact_id: id, lead_id: found.lead_id, keep_files, person, receipt });
    wake(ctx, erasureJobs, [row.id]);
    ctx.reply.headers.location = `/api/v1/erasure/${row.id}/`;
    return showWritten(ctx, erasure, row);
  },
});

async function refuseWhileErased(ctx: Ctx, id: string): Promise<void> {
  const [other] = await query(
    ctx,
    statement(sql`select id from erasure where organization_id = ${ctx.organization_id} and contact_id = ${id}
      and status in ('queued', 'running')`),
  );
  if (other !== undefined) throw new Problem(409, `This person is being erased already: see GET /erasure/${other[0]}/.`);
}
