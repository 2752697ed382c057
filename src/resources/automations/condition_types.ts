// The conditions that an automation can check before it starts and between its steps, by families.
import type { ConditionType } from "./conditions/condition.ts";
import { historyConditions } from "./conditions/history.ts";
import { otherConditions } from "./conditions/other.ts";
import { recordConditions } from "./conditions/record.ts";

export const conditionTypes: readonly ConditionType[] = [...recordConditions, ...historyConditions, ...otherConditions];
