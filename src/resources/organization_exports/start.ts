// `POST /organization/{id}/export/`: a job writes the archive. While one is being written, asking again answers it.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { onlyAdmin } from "../organization/only_admin.ts";
import { organization } from "../organization/organization.ts";
import { organizationExport, organizationExportJobs } from "./organization_export.ts";

export const exportOrganization = operation({
  name: "organization.export",
  method: "POST",
  path: "/organization/{id}/export/",
  doc: "Writes an archive of the whole workspace, to keep or to put in elsewhere: all records, the log and stored files, without secrets. Only admins may.",
  permission: "manage_organization",
  mcp: false,
  outlasts: true,
  group: "bulk",
  pastDue: true,
  status: 201,
  input: { id: z.string() },
  get output() {
    return outputSchema(organizationExport);
  },
  async run(ctx, { id }) {
    onlyAdmin(ctx, "export an organization");
    await lockRecord(ctx, organization, id);
    const [living] = await findRecords(ctx, organizationExport, [sql`t.status in ('queued', 'running')`]);
    const row = living ?? store.insert(ctx, organizationExport, {});
    wake(ctx, organizationExportJobs, [row.id]);
    ctx.reply.headers.location = `/api/v1/organization_export/${row.id}/`;
    return showWritten(ctx, organizationExport, row);
  },
});
