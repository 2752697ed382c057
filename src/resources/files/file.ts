// A file: bytes with a name, attached to a lead, a contact, a deal, or nothing.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { invalid } from "../../core/errors.ts";
import {
  boolean,
  choice,
  computed,
  formed,
  input,
  integer,
  lookedUp,
  type Moment,
  ref,
  text,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { searched } from "../../search/searched.ts";
import { authorNames } from "../shared/names.ts";
import { cleanName, linkName } from "./file_name.ts";
import { fileSubtype } from "./file_subtype.ts";
import { essence, fileTypes } from "./media.ts";
import { fileIsVisible } from "./visibility.ts";

export const outreachChannels = ["email", "sms", "whatsapp", "linkedin", "call", "chat"] as const;

const linkColumns = ["share_token", "share_expires_at", "storage_key", "name"] as const;

export const file = resource({
  name: "file",
  prefix: "file",
  doc: "A file: attached to a lead, or an asset of the whole organization.",
  commentable: true,
  visible: fileIsVisible,
  indexed: ["lead_id", "contact_id", "opportunity_id"],
  sort: { name: true, size: true },
  search: searched({ words: (row: { name: string }) => [{ text: row.name }] }),
  filters: {
    scope: {
      doc: "`workspace` for files that belong to no lead.",
      sql(_ctx, value, alias) {
        if (value !== "workspace") throw invalid({ "": "must be workspace" });
        return sql`${name(alias)}.lead_id is null`;
      },
    },
  },
  // A subtype that the other organization does not have is dropped there, and its slot may be taken.
  moved: ({ subtype }, _here, there) =>
    subtype === null || there.directory.list(fileSubtype).some((one) => one.key === subtype)
      ? {}
      : { subtype: null, outreach_channel: null },
  fields: {
    lead_id: ref("lead", { onDelete: "cascade", onMove: "follow" }, { createOnly: true, doc: "The lead it belongs to." }),
    contact_id: ref("contact", { onDelete: "clear", onMove: "follow" }, { createOnly: true, doc: "A contact of the lead." }),
    opportunity_id: ref(
      "opportunity",
      { onDelete: "clear", onMove: "follow" },
      { createOnly: true, doc: "An opportunity of the lead." },
    ),
    content_base64: input(z.string(), { createOnly: true, doc: "The bytes as base64; one of the three ways to send them." }),
    content_url: input(z.string().max(8192), {
      createOnly: true,
      doc: "A public http or https address to fetch the bytes from; one of the three ways to send them.",
    }),
    name: text({
      filled: true,
      normalize: nameOf,
      doc: "By default the name of the uploaded file: from the form, from the answer of the address, or the last part of the address.",
    }),
    mime: formed(essence, "must be a media type such as application/pdf", {
      filled: true,
      createOnly: true,
      doc: "The media type; by default that of the upload. If the content itself shows its type, that type is used.",
    }),
    size: integer({ required: true, readOnly: true, doc: "In bytes." }),
    type: choice(fileTypes, { filled: true, doc: "The kind of file; by default it follows from the media type." }),
    subtype: text({ normalize: knownSubtype, doc: "Its purpose: the key of a file subtype." }),
    subtype_label: lookedUp(["subtype"], z.string().nullable(), subtypeLabel, "The label of the subtype."),
    outreach_channel: choice(outreachChannels, {
      doc: "Makes it the file to send over this channel: one for each target, channel and subtype.",
    }),
    scope: computed([], z.string().nullable(), () => null, "The level at which `resolve` found it; null in other responses."),
    is_system: boolean({ readOnly: true, default: false, doc: "Made by the service; it cannot be deleted." }),
    share_url: lookedUp(
      linkColumns,
      z.string().nullable(),
      shareUrl,
      "A link to the file without a key, until `share_expires_at` and for as long as the file exists; null when it has expired.",
    ),
    share_url_base64: lookedUp(
      linkColumns,
      z.string().nullable(),
      (directory, token, until, key, name, moment) => {
        const url = shareUrl(directory, token, until, key, name, moment);
        return url === null ? null : `${url}?format=base64`;
      },
      "The same link, answering the bytes as base64.",
    ),
    share_expires_at: timestamp({
      doc: "When the link expires; null for never. A later time, or null, makes a new link.",
    }),
    download_url: lookedUp(
      ["id"],
      z.string(),
      (_directory, id, { settings }: Moment) => `${settings.base_url}/api/v1/file/${id}/download/`,
      "The address to download the bytes with a key.",
    ),
    private_to: text({
      readOnly: true,
      doc: "The only member who sees it, for a stranger's voicemail to their own number; null for other files.",
    }),
    sha256: text({ required: true, readOnly: true, doc: "SHA-256 of the bytes, in hex." }),
    width: integer({ readOnly: true, doc: "For an image: its width in pixels." }),
    height: integer({ readOnly: true, doc: "For an image: its height in pixels." }),
    storage_key: text({ required: true, readOnly: true, hidden: true }),
    share_hash: text({ readOnly: true, hidden: true }),
    share_token: text({ readOnly: true, hidden: true }),
    ...authorNames,
  },
});

function nameOf(raw: string): string {
  const clean = cleanName(raw);
  if (clean === null) throw invalid({ "": "must not be empty" });
  return clean;
}

function knownSubtype(key: string, ctx: Ctx): string {
  if (!ctx.directory.list(fileSubtype).some((one) => one.key === key)) throw invalid({ "": "must be the key of a file subtype" });
  return key;
}

function subtypeLabel(directory: Directory, key: string | null): string | null {
  return key === null ? null : (directory.list(fileSubtype).find((one) => one.key === key)?.label ?? null);
}

/** The place of a link's secret. It is bound to the bytes and not to the organization, because a file may move with its lead. */
export const linkPlace = (storageKey: string) => ({ table: "file", column: "share_token", organization_id: "", id: storageKey });

interface Link {
  share_token: string | null;
  share_expires_at: string | null;
  storage_key: string;
  name: string;
}

/** An expired link is no longer shown, whether or not a worker has removed it. */
export const hasEnded = ({ share_token, share_expires_at }: Pick<Link, "share_token" | "share_expires_at">, now: Date): boolean =>
  share_token === null || (share_expires_at !== null && share_expires_at <= now.toISOString());

/** A link to the file that needs no key. Null when it has expired. */
export const linkOf = ({ now, settings }: Pick<Moment, "now" | "settings">, row: Link): string | null =>
  hasEnded(row, now)
    ? null
    : `${settings.base_url}/f/${settings.secrets.open(row.share_token!, linkPlace(row.storage_key))}/${linkName(row.name)}`;

function shareUrl(
  _directory: Directory,
  share_token: string | null,
  share_expires_at: string | null,
  storage_key: string,
  name: string,
  moment: Moment,
): string | null {
  return linkOf(moment, { share_token, share_expires_at, storage_key, name });
}
