// GET /export/{id}/download/: the file, once it is done.
import { z } from "zod";
import { may } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import { Content, operation } from "../../core/operation.ts";
import { zoneOf } from "../../records/clock.ts";
import { getRecord } from "../../records/records.ts";
import { Missing } from "../../services/storage.ts";
import { codingsIn } from "../../values/accept_encoding.ts";
import { todayIn } from "../../values/time.ts";
import { disposition } from "../files/file_name.ts";
import { exportResource } from "./export.ts";
import { unpacked } from "./packing.ts";
import { mediaTypes } from "./table.ts";

export const downloadExport = operation({
  name: "export.download",
  method: "GET",
  path: "/export/{id}/download/",
  doc: "Returns the file of an export that is done.",
  permission: "export",
  mcp: false,
  input: { id: z.string() },
  output: z.unknown(),
  async run(ctx, { id }) {
    const found = await getRecord(ctx, exportResource, id);
    if (found.status !== "done") throw new Problem(404, "Export is not ready");
    if (found.saw_all_leads && !may(ctx, "view_all_leads"))
      throw new Problem(404, "The file has records that you cannot see any more: start another export");
    const gone = new Problem(404, "The file of this export is no longer kept: start another");
    if (found.storage_key === null) throw gone;
    const bytes = await ctx.settings.storage.read(found.storage_key).catch((error) => {
      throw error instanceof Missing ? gone : error;
    });
    const name = `${found.type}_${todayIn(new Date(found.date_created), zoneOf(ctx.directory, ctx))}.${found.format}`;
    const headers = { "content-disposition": disposition("attachment", name) };
    if (found.compression === "none") return new Content(mediaTypes[found.format], bytes, headers);
    const vary = { ...headers, vary: "accept-encoding" };
    return codingsIn(ctx.request.accept?.encoding ?? "").weightOf("gzip") > 0
      ? new Content(mediaTypes[found.format], bytes, { ...vary, "content-encoding": "gzip" })
      : new Content(mediaTypes[found.format], unpacked(bytes), vary);
  },
});
