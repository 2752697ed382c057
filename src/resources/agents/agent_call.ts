// A call of a tool by an agent, kept for 90 days: who did what, and what came of it. The rows are written by `src/mcp/call_log.ts`.
import { boolean, integer, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

const readOnly = true;

export const agentCall = resource({
  name: "agent_call",
  prefix: "call",
  doc: "A call of a tool by an agent.",
  event: null,
  mcp: false,
  indexed: ["created_by"],
  fields: {
    tool: text({ readOnly, required: true, doc: "The tool." }),
    arguments_hash: text({ readOnly, required: true, doc: "The SHA-256 of its arguments: the same for the same call." }),
    object_ids: texts({ readOnly, default: [] as string[], doc: "The records that it named or answered; at most 100." }),
    status: integer({ readOnly, filled: true, doc: "200, or the status of the refusal." }),
    error: text({ readOnly, max: 1000, doc: "The refusal." }),
    is_dry_run: boolean({ readOnly, default: false, doc: "Whether the call was only tried, by `dry_run`." }),
    duration_ms: integer({ readOnly, filled: true }),
    bytes: integer({ readOnly, filled: true, doc: "The size of its result." }),
    request_id: text({ readOnly, required: true, doc: "The request; its events carry the same." }),
    api_key_id: text({ readOnly, doc: "The key that was used." }),
    oauth_client_id: text({ readOnly, doc: "The OAuth application that was used." }),
    oauth_grant_id: text({ readOnly, doc: "The connection that was used." }),
  },
});
