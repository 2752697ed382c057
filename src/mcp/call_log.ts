// One row for each call of a tool, for admins: `GET /agent_call/`. Rows are gathered for a moment and written together, so that a
// call does not wait for its own. What a call wrote has its events besides, in the same transaction; a process that is killed loses
// the rows of its last moment and nothing else.
import { hash } from "node:crypto";
import type { Actor } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { newId } from "../values/id.ts";

export interface ToolUse {
  actor: Actor;
  requestId: string;
  tool: string;
  given: unknown;
  status: number;
  error: string | null;
  isDry: boolean;
  durationMs: number;
  bytes: number;
  /** What it answered. */
  answered: unknown;
}

const gatherMs = 100;
/** While the database is away, no more than these are kept. */
const gatheredMax = 10_000;

export class CallLog {
  private readonly core: Core;
  private readonly report: (error: unknown) => void;
  private gathered: Row[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(core: Core, report: (error: unknown) => void) {
    this.core = core;
    this.report = report;
  }

  note(use: ToolUse): void {
    if (this.gathered.length < gatheredMax) this.gathered.push(rowOf(use, this.core.clock()));
    this.timer ??= setTimeout(() => void this.flush(), gatherMs);
  }

  /** Never rejects: rows that could not be written are tried again with the next ones. */
  async flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const rows = this.gathered;
    this.gathered = [];
    for (const [organizationId, own] of Map.groupBy(rows, ({ organization_id }) => organization_id)) {
      try {
        await this.write(organizationId, own);
      } catch (error) {
        this.gathered.push(...own.slice(0, gatheredMax - this.gathered.length));
        this.report(error);
      }
    }
  }

  private write(organizationId: string, rows: readonly Row[]): Promise<void> {
    return this.core.db.transaction(organizationId, async (tx) =>
      tx.write({
        name: "agent_call.insert",
        text: `insert into agent_call (organization_id, id, tool, arguments_hash, object_ids, status, error, is_dry_run, duration_ms, bytes,
                 request_id, api_key_id, oauth_client_id, oauth_grant_id, created_by, updated_by, date_created, date_updated)
               select $1, r.id, r.tool, r.arguments_hash, r.object_ids, r.status, r.error, r.is_dry_run, r.duration_ms, r.bytes,
                 r.request_id, r.api_key_id, r.oauth_client_id, r.oauth_grant_id, r.created_by, r.created_by, r.date_created, r.date_created
               from json_populate_recordset(null::agent_call, $2) r`,
        values: [organizationId, JSON.stringify(rows)],
      }),
    );
  }
}

type Row = ReturnType<typeof rowOf>;

function rowOf({ actor, requestId, tool, given, status, error, isDry, durationMs, bytes, answered }: ToolUse, now: Date) {
  return {
    organization_id: actor.organization_id,
    id: newId("call"),
    tool,
    arguments_hash: hash("sha256", JSON.stringify(given ?? {}), "base64url"),
    object_ids: idsIn(given, answered),
    status,
    error: error?.slice(0, 1000).toWellFormed() ?? null,
    is_dry_run: isDry,
    duration_ms: Math.round(durationMs),
    bytes,
    request_id: requestId,
    api_key_id: actor.api_key_id,
    oauth_client_id: actor.oauth?.client_id ?? null,
    oauth_grant_id: actor.oauth?.grant_id ?? null,
    created_by: actor.user_id,
    date_created: now,
  };
}

const idsMax = 100;
const anId = /^[a-z0-9]+_[0-9a-z]{26}$/;

/** The ids of the records that a call named, and of those that it answered. */
function idsIn(given: unknown, answered: unknown): string[] {
  const found = new Set<string>();
  const look = (value: unknown, isId: boolean): void => {
    if (found.size >= idsMax) return;
    if (typeof value === "string") {
      if (isId && anId.test(value)) found.add(value);
    } else if (Array.isArray(value)) value.forEach((one) => look(one, isId));
    else if (typeof value === "object" && value !== null)
      for (const key in value)
        look((value as Record<string, unknown>)[key], key === "id" || key === "object_id" || key === "ids" || isId);
  };
  look(given, true);
  look(answered, false);
  return [...found];
}
