// The archive of a whole workspace, which an admin gets without an operator: it can be put in elsewhere.
import { z } from "zod";
import { choice, integer, lookedUp, type Moment, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const organizationExport = resource({
  name: "organization_export",
  prefix: "oexpo",
  doc: "The archive of a workspace: all of its records and stored files in an open format, without secrets.",
  event: null,
  mcp: false,
  fields: {
    status: choice(["queued", "running", "done", "error"], { readOnly: true, default: "queued" }),
    size: integer({ readOnly: true, doc: "Bytes of the archive." }),
    checksum_sha256: text({ readOnly: true, doc: "Of the archive, in hex." }),
    error: text({ readOnly: true, max: 1000, doc: "Why there is no archive." }),
    expires_at: timestamp({ readOnly: true, doc: "Until then the archive is kept." }),
    date_started: timestamp({ readOnly: true, doc: "When a worker began to write it." }),
    date_completed: timestamp({ readOnly: true, doc: "When it was done, or had failed." }),
    download_url: lookedUp(
      ["id", "storage_key"],
      z.string().nullable(),
      (_directory, id: string, storage_key: string | null, { settings }: Moment) =>
        storage_key === null ? null : `${settings.base_url}/api/v1/organization_export/${id}/download/`,
      "The address to download the archive with an admin's key; null until it is done, and once it is no longer kept.",
    ),
    storage_key: text({ readOnly: true, hidden: true }),
  },
});

/** The kind of work. */
export const organizationExportJobs = { kind: "organization_export" } as const;
