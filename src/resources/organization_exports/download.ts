// GET /organization_export/{id}/download/: the archive, once it is done.
import { z } from "zod";
import { Problem } from "../../core/errors.ts";
import { Content, operation } from "../../core/operation.ts";
import { getRecord } from "../../records/records.ts";
import { Missing } from "../../services/storage.ts";
import { disposition } from "../files/file_name.ts";
import { onlyAdmin } from "../organization/only_admin.ts";
import { organizationExport } from "./organization_export.ts";

export const downloadOrganizationExport = operation({
  name: "organization_export.download",
  method: "GET",
  path: "/organization_export/{id}/download/",
  doc: "Returns the archive of a workspace. Only admins may.",
  permission: "manage_organization",
  mcp: false,
  input: { id: z.string() },
  output: z.unknown(),
  async run(ctx, { id }) {
    onlyAdmin(ctx, "export an organization");
    const found = await getRecord(ctx, organizationExport, id);
    if (found.storage_key === null) throw new Problem(404, "The archive is not done, or no longer kept");
    const bytes = await ctx.settings.storage.read(found.storage_key).catch((error) => {
      throw error instanceof Missing ? new Problem(404, "The archive is no longer kept: start another") : error;
    });
    const name = `workspace_${found.date_created.slice(0, 10)}.tar`;
    return new Content("application/x-tar", bytes, { "content-disposition": disposition("attachment", name) });
  },
});
