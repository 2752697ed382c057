// Looks many leads or contacts up.
import { z } from "zod";
import { boolean, choice, json } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { providers } from "../enrichment/enrichment.ts";
import { fieldsOf } from "../enrichment/found.ts";
import { common, kind } from "./common.ts";

export const enrichedFields = [...new Set([...fieldsOf.lead, ...fieldsOf.contact])] as const;

export const bulkEnrich = resource({
  ...kind("enrich"),
  doc: "Looks up what is known elsewhere about many leads or contacts.",
  fields: {
    ...common(),
    object_type: choice(["lead", "contact"], {
      createOnly: true,
      default: "lead",
      doc: "What is looked up. The contacts of leads follow them.",
    }),
    provider: choice(providers, {
      createOnly: true,
      doc: "`internal` asks no provider. By default one is asked if it is connected.",
    }),
    fields: json(z.array(z.enum(enrichedFields)).min(1), { createOnly: true, doc: "The fields to fill; by default all." }),
    overwrite: boolean({ createOnly: true, default: false, doc: "Replaces values too, and adds to lists." }),
  },
});
