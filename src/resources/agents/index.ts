import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { agentCall } from "./agent_call.ts";
import { budget, createBudget, deleteBudget, updateBudget } from "./budget.ts";
import { budgetUse } from "./budget_use.ts";

export const agents: Operation[] = [
  ...standard(agentCall, { list: true, get: true }, "manage_organization"),
  ...standard(budget, { ...crud, create: createBudget, update: updateBudget, delete: deleteBudget }, "manage_organization"),
  budgetUse,
];
