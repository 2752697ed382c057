import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { enrichContact, enrichLead } from "./enrich.ts";
import { enrichment } from "./enrichment.ts";

export const enrichments: Operation[] = [...standard(enrichment, { list: true, get: true }, "member"), enrichLead, enrichContact];
