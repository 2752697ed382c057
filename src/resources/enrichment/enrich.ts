// `POST /lead/{id}/enrich/` and `POST /contact/{id}/enrich/`: the enrichment is stored, and a job does it.
import { z } from "zod";
import { type Operation, operation } from "../../core/operation.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { enrichment, providers } from "./enrichment.ts";
import { fieldsOf } from "./found.ts";
import { type Kind, startEnrichment } from "./start.ts";

const leadFields = [...new Set([...fieldsOf.lead, ...fieldsOf.contact])] as const;

export const enrichLead = enriching(
  "lead",
  "Looks up what is known elsewhere about a lead, and then about its contacts, and fills their empty fields.",
  z.enum(leadFields),
);

export const enrichContact = enriching(
  "contact",
  "Looks up what is known elsewhere about a contact, and fills its empty fields.",
  z.enum(fieldsOf.contact),
);

function enriching(kind: Kind, doc: string, field: z.ZodType<string>): Operation {
  return operation({
    name: `${kind}.enrich`,
    method: "POST",
    path: `/${kind}/{id}/enrich/`,
    doc,
    permission: "member",
    status: 201,
    otherwise: { 200: "One was on its way already: it is answered." },
    input: {
      id: z.string(),
      provider: z.enum(providers).nullish().describe("`internal` asks no provider. By default one is asked if it is connected."),
      fields: z.array(field).min(1).nullish().describe("The fields to fill; by default all."),
      overwrite: z.boolean().default(false).describe("Replaces values too, and adds to lists. Nothing is removed from a list."),
    },
    get output() {
      return outputSchema(enrichment);
    },
    async run(ctx, { id, ...wanted }) {
      const { row, isNew } = await startEnrichment(ctx, kind, id, wanted);
      if (!isNew) ctx.reply.status = 200;
      else ctx.reply.headers.location = `/api/v1/enrichment/${row.id}/`;
      return showWritten(ctx, enrichment, row);
    },
  });
}
