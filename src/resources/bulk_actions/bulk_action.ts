// All bulk actions, whatever their kind: listing, pausing and resuming them.
import { z } from "zod";
import { type Field, formed, input } from "../../core/field.ts";
import { type Resource, resource } from "../../core/resource.ts";
import { bulkAutomation } from "./automation.ts";
import { common, type Status, statuses, stream } from "./common.ts";
import { bulkDelete } from "./delete.ts";
import { bulkEdit } from "./edit.ts";
import { bulkEmail } from "./email.ts";
import { bulkEnrich } from "./enrich.ts";
import { bulkSequenceSubscription } from "./sequence_subscription.ts";
import { bulkUndo } from "./undo.ts";

const kinds: readonly Resource[] = [
  bulkEdit,
  bulkDelete,
  bulkEmail,
  bulkSequenceSubscription,
  bulkEnrich,
  bulkAutomation,
  bulkUndo,
];

export const bulkAction = resource({
  ...stream,
  name: "bulk_action",
  doc: "A change of many records, done in the background.",
  event: ({ kind }) => `bulk_action.${kind}`,
  kinds: { column: "kind", of: kinds },
  fields: {
    ...common(),
    status: {
      ...(formed<{ filled: true; doc: string }>(asStatus, "must be paused, resuming or canceled", {
        filled: true,
        doc: "`paused` stops it, `resuming` continues it, also after an `error`, `canceled` ends it. What is done stays done.",
      }) as Field<Status, "write">),
      choices: statuses,
    },
    action: input(z.enum(["pause", "resume", "cancel"]), { doc: "Another way to set `status`." }),
    ...columnsOfSome(),
  },
});

function asStatus(raw: string): Status | null {
  if (raw === "resume") return "resuming";
  if (raw === "pause") return "paused";
  if (raw === "cancel") return "canceled";
  return statuses.find((status) => status === raw) ?? null;
}

/** Columns that not every kind has. They may be null here, and only their kinds show and filter them. */
function columnsOfSome(): Record<string, Field> {
  const columns = kinds
    .flatMap((one) => one.columns)
    .filter(([key]) => !kinds.every((one) => one.fields[key]?.source === "column"));
  return Object.fromEntries(
    columns.map(([key, field]) => [key, { ...field, nullable: true, required: false, default: undefined, hidden: true }]),
  );
}
