// An export: records written to a file that can be downloaded.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { boolean, choice, formed, integer, json, lookedUp, type Moment, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { isTimeZone } from "../../values/time.ts";
import { sortInput } from "../search/sort.ts";
import { type ExportDialect, exportDialect } from "./dialect.ts";

export const exportFormats = ["csv", "json", "jsonl", "xlsx"] as const;
export const exportTypes = ["leads", "contacts", "lead_opps", "opps"] as const;
const include = (doc: string) => boolean({ createOnly: true, default: false, doc });

export const exportResource = resource({
  name: "export",
  prefix: "expo",
  doc: "A file with records, to download.",
  event: (row) => `export.${row.object_type}`,
  // The file contains what the member who requested it may see.
  visible: (ctx: Ctx, alias) => (may(ctx, "view_all_leads") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`),
  fields: {
    object_type: choice(["lead", "opportunity"], { readOnly: true, required: true, doc: "The type of the export." }),
    format: choice(exportFormats, { createOnly: true, default: "csv", doc: "`jsonl` has one record for each line." }),
    type: choice(exportTypes, {
      createOnly: true,
      filled: true,
      doc: "The kind of record in each row: a lead, a contact, or an opportunity.",
    }),
    s_query: json(z.record(z.string(), z.unknown()), {
      createOnly: true,
      doc: "The leads, as a query of `POST /data/search/`.",
    }),
    query: text({ createOnly: true, max: 10_000, doc: "The leads, as a text query." }),
    results_limit: integer({ createOnly: true, min: 1 }),
    sort: json(sortInput, { createOnly: true, default: [], doc: "The order of the leads, as in `POST /data/search/`." }),
    params: json(z.record(z.string(), z.string()), {
      createOnly: true,
      default: {} as Record<string, string>,
      doc: "The opportunities, by filters of `GET /opportunity/`.",
    }),
    fields: texts({ createOnly: true, default: null as string[] | null, doc: "The columns; by default all." }),
    date_format: choice(["original", "iso8601", "excel"], {
      createOnly: true,
      default: "original",
      doc: "How dates are written.",
    }),
    timezone: formed((raw) => (isTimeZone(raw) ? raw : null), "must be a time zone such as Europe/Berlin", {
      createOnly: true,
      doc: "The time zone in which dates are written that `date_format` says; by default that of the caller's day.",
    }),
    dialect: json(exportDialect, {
      createOnly: true,
      default: {} as ExportDialect,
      doc: "How CSV is written; by default with commas, decimal points, and a mark before what a spreadsheet would run.",
    }),
    compression: choice(["none", "gzip"], {
      createOnly: true,
      default: "none",
      doc: "`gzip` keeps the file compressed, and sends it so to whoever accepts that. `size` and `checksum_sha256` are those of the file when it is unpacked.",
    }),
    include_activities: include("JSON only: includes the leads' activities."),
    include_smart_fields: include("Includes values computed from a lead's records."),
    include_addresses: include("With postal addresses."),
    include_custom_objects: include("JSON only: includes the leads' custom objects."),
    send_done_email: boolean({
      createOnly: true,
      default: true,
      doc: "Notifies its author when it is done or failed, by mail too.",
    }),
    status: choice(["created", "started", "in_progress", "done", "error"], { readOnly: true, default: "created" }),
    n_docs: integer({ readOnly: true, doc: "The number of rows; null until they are counted." }),
    n_docs_processed: integer({ readOnly: true, default: 0 }),
    size: integer({ readOnly: true, doc: "Bytes of the file." }),
    checksum_sha256: text({ readOnly: true, doc: "The SHA-256 of the file, in hex." }),
    expires_at: timestamp({ readOnly: true, doc: "Until then the file is kept." }),
    error: text({ readOnly: true, max: 1000, doc: "Why it failed. It can be resumed." }),
    download_url: lookedUp(
      ["id", "storage_key"],
      z.string().nullable(),
      (_directory, id: string, storage_key: string | null, { settings }: Moment) =>
        storage_key === null ? null : `${settings.base_url}/api/v1/export/${id}/download/`,
      "The address to download the file with a key; null until it is done, and once it is no longer kept.",
    ),
    storage_key: text({ readOnly: true, hidden: true }),
    saw_all_leads: boolean({ readOnly: true, hidden: true, default: false }),
    date_started: timestamp({ readOnly: true }),
    date_completed: timestamp({ readOnly: true }),
  },
});
