// The triggers that can start an automation, by families.
import { messageTriggers } from "./triggers/messages.ts";
import { otherTriggers } from "./triggers/other.ts";
import { recordTriggers } from "./triggers/records.ts";
import { timeTriggers } from "./triggers/time.ts";
import type { TriggerType } from "./triggers/trigger_type.ts";

export const triggerTypes: readonly TriggerType[] = [...recordTriggers, ...messageTriggers, ...timeTriggers, ...otherTriggers];
