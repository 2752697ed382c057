import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { agentCall } from "./agent_call.ts";

export const agents: Operation[] = standard(agentCall, { list: true, get: true }, "manage_organization");
