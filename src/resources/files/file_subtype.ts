// A file subtype: what a file is for, such as a proposal, a contract or a price list. A file's `subtype` is the key.
import { z } from "zod";
import { boolean, choice, formed, input, integer, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { atEnd, positionMax } from "../shared/positions.ts";
import { fileTypes } from "./media.ts";

export const fileSubtype = resource({
  name: "file_subtype",
  prefix: "fsub",
  doc: "The purpose of a file, such as a proposal or a contract.",
  event: null,
  cached: true,
  order: "position",
  sort: { position: true, label: true, key: true },
  fields: {
    key: formed(keyOf, "must be 1 to 64 letters, digits, - or _, beginning with a letter or a digit", {
      filled: true,
      createOnly: true,
      doc: "The value of a file's `subtype`; by default made from the label.",
    }),
    name: input(z.string().max(255), { createOnly: true, later: ({ key }) => key, doc: "Another name of `key`." }),
    label: text({ filled: true, doc: "The name that people see." }),
    type: choice(fileTypes, { doc: "Only files of this type may have it; null for any." }),
    description: text({ max: 10_000 }),
    is_system: boolean({
      readOnly: true,
      default: false,
      doc: "True for the initial ones of every organization. They cannot be deleted.",
    }),
    position: integer({ min: 0, max: positionMax, default: atEnd("file_subtype"), doc: "Its position." }),
  },
});

function keyOf(raw: string): string | null {
  const key = raw.trim().toLowerCase();
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(key) ? key : null;
}
