// Triggers that other work of the service, other services or somebody by hand start.
import { z } from "zod";
import { anything, defining, fieldName, id, may, naming, need, objectType, oneOf, verbatim } from "../catalog.ts";
import { isImportEnd, isOfAutomation, namesOfImports, namesOfRuns } from "../event_matching.ts";
import { payloadSchema } from "../hooks/payload_schema.ts";
import { verification } from "../hooks/verification.ts";
import { recordOfRecord } from "../subjects.ts";
import { events, type TriggerType } from "./trigger_type.ts";

const define = defining<TriggerType>();
const other = "other";

export const otherTriggers: readonly TriggerType[] = [
  define(
    other,
    "automation.event",
    "Another automation ends.",
    { automation_id: naming(need(id), "automation", "automations"), ...events("completed", "failed", "goal") },
    { listens: namesOfRuns, matches: isOfAutomation, about: recordOfRecord },
  ),
  define(
    other,
    "enrichment.done",
    "It has been looked up what is known elsewhere about a lead or a contact.",
    { result: may(oneOf("completed", "no_match", "failed")) },
    {
      object_types: ["lead", "contact"],
      listens: () => ["enrichment.completed", "enrichment.failed"],
      matches: ({ result }, { record }) => result == null || record.status === result,
      about: recordOfRecord,
    },
  ),
  define(
    other,
    "import.done",
    "An import has ended.",
    { result: may(oneOf("done", "error")) },
    { object_types: ["import"], listens: namesOfImports, matches: isImportEnd },
  ),
  define(
    other,
    "dialer.done",
    "A dialer has called all its contacts.",
    { dialer_id: naming(may(id), "dialer") },
    {
      object_types: ["dialer"],
      listens: () => ["dialer.completed"],
      matches: ({ dialer_id }, { object_id }) => dialer_id == null || object_id === dialer_id,
    },
  ),
  define(
    other,
    "webhook.received",
    "Another service sends a request to the automation's own address.",
    {
      verification: need(verification),
      payload_schema: verbatim(may(payloadSchema)),
      record_lookup: may(
        z.strictObject({
          object_type: objectType,
          match: z
            .array(z.strictObject({ field: fieldName, value: anything }))
            .min(1)
            .max(10),
        }),
      ),
      create_if_missing: may(z.boolean()),
    },
    { calledByHook: true },
  ),
  define(
    other,
    "manual",
    "Somebody starts it.",
    { object_type: may(objectType), input_schema: verbatim(may(payloadSchema)), allow_bulk: may(z.boolean()) },
    { byHand: true },
  ),
];
