import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { createSubscription, updateSubscription } from "./sequence_subscription_verbs.ts";
import { createSequence, deleteSequence, updateSequence } from "./sequence_verbs.ts";
import { subscriptionCounts } from "./subscription_counts.ts";

export const sequences: Operation[] = [
  ...standard(
    sequence,
    { ...crud, create: createSequence, update: updateSequence, delete: deleteSequence },
    { read: "member", write: "manage_email_sequences" },
    { alone: subscriptionCounts },
  ),
  ...standard(sequenceSubscription, { ...crud, create: createSubscription, update: updateSubscription }, "member"),
];
