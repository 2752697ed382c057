// GET /file/{id}/download/: the bytes, always as a download and never shown in the browser.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { getRecord } from "../../records/records.ts";
import { fileAnswer } from "./byte_range.ts";
import { file } from "./file.ts";
import { disposition } from "./file_name.ts";

export const downloadFile = operation({
  name: "file.download",
  method: "GET",
  path: "/file/{id}/download/",
  doc: "Returns the bytes of a file; with `Range`, a part of them.",
  permission: "member",
  mcp: false,
  otherwise: { 206: "The part that `Range` asks for.", 416: "The file has no such part." },
  input: { id: z.string() },
  output: z.unknown(),
  async run(ctx, { id }) {
    const found = await getRecord(ctx, file, id);
    const headers = {
      "content-disposition": disposition("attachment", found.name),
      "content-security-policy": "sandbox; default-src 'none'",
      "cross-origin-resource-policy": "same-site",
    };
    const { status, content } = await fileAnswer(ctx.settings.storage, found, ctx.request.range, headers);
    ctx.reply.status = status;
    return content;
  },
});
