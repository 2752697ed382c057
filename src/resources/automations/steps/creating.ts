// Steps that create records of a certain kind. What they do not name comes from the record that the run is about.

import { todayIn } from "../../../values/time.ts";
import { businessHolidays } from "../../organization/holidays.ts";
import { isActiveMember } from "../../organization/user.ts";
import { momentAfter } from "../durations.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { zoneOfRun } from "./timeouts.ts";
import { createOf, idOf } from "./writing.ts";

export async function createTask(call: Call): Promise<Outcome> {
  const { text, contact_id, due_in, date, assigned_to, priority } = call.config;
  const zone = zoneOfRun(call);
  const holidays = businessHolidays(call.ctx);
  const due = due_in == null ? date : todayIn(momentAfter(call.ctx.now, due_in, zone, { holidays }), zone);
  const fields = said({ text, contact_id, priority, date: due, assigned_to, lead_id: leadOf(call) });
  return { output: idOf(await createOf(call, "task", fields)) };
}

export async function createNote(call: Call): Promise<Outcome> {
  const { note, title, contact_id } = call.config;
  return { output: idOf(await createOf(call, "activity_note", said({ note, title, contact_id, lead_id: leadOf(call) }))) };
}

export async function createOpportunity(call: Call): Promise<Outcome> {
  const { lead_id: _, ...fields } = call.config;
  return { output: idOf(await createOf(call, "opportunity", said({ ...fields, lead_id: leadOf(call) }))) };
}

export async function createCustomActivity(call: Call): Promise<Outcome> {
  const { custom_activity_type_id, status, fields } = call.config;
  const body = said({ ...fields, custom_activity_type_id, status, lead_id: leadOf(call) });
  return { output: idOf(await createOf(call, "activity_custom_activity", body)) };
}

/** Somebody who left owns nothing new. */
export async function createProject(call: Call): Promise<Outcome> {
  const { ctx, config, fallback_user_id, run } = call;
  const owner_id = [ctx.actor.user_id, fallback_user_id].find((one) => one && isActiveMember(ctx.directory, one)) ?? null;
  const { name, lead_id = run.lead_id, fields } = config;
  return { output: idOf(await createOf(call, "project", { owner_id, ...said({ lead_id, name }), ...fields })) };
}

/** For a deal with its line items, or else for the lead. */
export async function createQuote(call: Call): Promise<Outcome> {
  const { config, run } = call;
  const opportunity_id = config.opportunity_id ?? (config.fields?.lead_id == null ? run.opportunity_id : null);
  const about = opportunity_id == null ? { lead_id: config.fields?.lead_id ?? leadOf(call) } : { opportunity_id };
  return { output: idOf(await createOf(call, "quote", { ...config.fields, ...about })) };
}

// --- what is not said ---

/** The lead that the step names, else that of the record. */
export function leadOf({ config, run, facts: { record } }: Call): string {
  const own = run.object_type === "lead" ? run.object_id : record?.lead_id;
  const lead = config.lead_id ?? own ?? run.lead_id;
  if (typeof lead !== "string") throw new StepFailure("unresolved_ref", "config", "There is no lead: name one in lead_id");
  return lead;
}

/** Without what is not said. */
const said = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
