// Looks up what is known elsewhere about a lead or a contact, by an enrichment of its own. The run waits for its end, unless the step
// says otherwise. One that is on its way already is waited for, and no second one is started.
import { z } from "zod";
import { findRecord } from "../../../records/records.ts";
import { notAmong } from "../../../values/reasons.ts";
import { enrichment, providers } from "../../enrichment/enrichment.ts";
import { fieldsOf } from "../../enrichment/found.ts";
import { type Enrichment, type Kind, startEnrichment } from "../../enrichment/start.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome, Pending } from "./step.ts";
import { recordNamed } from "./writing.ts";

type Config = Record<string, any>;

export const enrichmentOutput = z.object({
  enrichment_id: z.string(),
  status: z.string(),
  fields_updated: z.array(z.string()),
});

const allFields: readonly string[] = Object.values(fieldsOf).flat();

export function enrichmentLacks({ providers: named, fields }: Config): string | null {
  const known: readonly string[] = providers;
  const provider = listOf(named).find((one) => !known.includes(one));
  if (provider !== undefined) return `providers: ${provider} ${notAmong(provider, known)}`;
  const field = listOf(fields).find((one) => !allFields.includes(one));
  return field === undefined ? null : `fields: ${field} ${notAmong(field, new Set(allFields))}`;
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);

/** A provider is asked again for an hour. */
const waitMs = 2 * 3_600_000;

export async function startLookUp(call: Call): Promise<Outcome> {
  const { ctx, config } = call;
  const { kind, id } = await recordNamed(call);
  const of = kind.name as Kind;
  if (!Object.hasOwn(fieldsOf, of)) throw wrongKind(`A ${of} cannot be enriched: name a lead or a contact in target`);
  const own: readonly string[] = of === "lead" ? allFields : fieldsOf[of];
  const fields = config.fields == null ? null : listOf(config.fields).filter((one) => own.includes(one));
  if (fields?.length === 0) throw wrongKind(`fields names no field of a ${of}`);
  const named = config.providers == null ? null : listOf(config.providers);
  const provider = named === null ? null : named.includes("peopledatalabs") ? "peopledatalabs" : "internal";

  const { row } = await startEnrichment(ctx, of, id, { provider, fields });
  if (config.wait === false) return { port: "done", output: outputOf(row) };
  const until = new Date(ctx.now.getTime() + waitMs);
  return { output: outputOf(row), wait: { until, port: "timeout", kind: "enrichment", records: [row.id] } };
}

const wrongKind = (words: string) => new StepFailure("object_type_mismatch", "config", words);

export async function endOfLookUp({ ctx, output, isOver }: Pending): Promise<Outcome | null> {
  const begun = output as z.output<typeof enrichmentOutput>;
  const row = await findRecord(ctx, enrichment, begun.enrichment_id);
  if (row === null || row.status === "failed")
    throw new StepFailure("enrichment_failed", "rejected", row?.error ?? "The record is gone");
  if (row.status === "completed") return { port: "done", output: outputOf(row) };
  if (row.status === "no_match") return { port: "no_match", output: outputOf(row) };
  return isOver ? { port: "timeout", output: outputOf(row) } : null;
}

const outputOf = ({ id, status, fields_updated }: Enrichment): z.output<typeof enrichmentOutput> => ({
  enrichment_id: id,
  status,
  fields_updated,
});
