// The verbs of projects.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { carryComments } from "../comments/follow_records.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { isActiveMember } from "../organization/organization.ts";
import { dateOfState, refuseEndBeforeCreated } from "../shared/history.ts";
import { ownNames } from "../shared/other_names.ts";
import { checkName } from "./named.ts";
import { project } from "./project.ts";
import { projectTask } from "./project_task.ts";
import { tasksOf } from "./project_tasks.ts";

type Project = Row<typeof project>;

const others = { title: "name", due_date: "end_date" } as const;

export async function createProject(ctx: Ctx, body: Create<typeof project>): Promise<Project> {
  const given = { owner_id: ctx.actor.user_id, ...ownNames(project, body, others) };
  checkName(given, true);
  checkPeople(ctx, given, null);
  checkDates(given);
  refuseEndBeforeCreated(given);
  const related = await relatedOf(ctx, given);

  return store.insert(ctx, project, { ...given, ...uniqueLists(given), ...related, ...completion(ctx, null, given) });
}

export async function updateProject(ctx: Ctx, before: Project, body: Patch<typeof project>): Promise<Project> {
  const given = ownNames(project, body, others, before);
  checkName(given, false);
  checkPeople(ctx, given, before);
  checkDates({ ...before, ...given });
  const moved = (["lead_id", "opportunity_id", "contact_id"] as const).some(
    (key) => given[key] !== undefined && given[key] !== before[key],
  );
  const related = moved ? await relatedOf(ctx, given, before) : {};

  const after = store.update(ctx, project, before, {
    ...given,
    ...uniqueLists(given),
    ...related,
    ...completion(ctx, before, given),
  });
  if (after.lead_id !== before.lead_id) await carryToLead(ctx, after);
  return after;
}

/** Its tasks are deleted first, each with its subtasks, so that each has exactly one event. */
export async function deleteProject(ctx: Ctx, before: Project): Promise<void> {
  const tasks = await tasksOf(ctx, before.id);
  await store.remove(
    ctx,
    projectTask,
    tasks.filter((task) => task.parent_task_id === null),
  );
  await store.remove(ctx, project, [before]);
}

/** A project's tasks are visible as its lead is. */
async function carryToLead(ctx: Ctx, { id, lead_id }: Project): Promise<void> {
  const tasks = await tasksOf(ctx, id);
  for (const task of tasks) store.update(ctx, projectTask, task, { lead_id });
  await carryComments(ctx, [id, ...tasks.map((task) => task.id)], lead_id);
}

// --- checks ---

function checkPeople(ctx: Ctx, given: Values<typeof project>, before: Project | null): void {
  const { owner_id, member_ids = [] } = given;
  if (typeof owner_id === "string" && owner_id !== before?.owner_id && !isActiveMember(ctx.directory, owner_id))
    throw invalid({ owner_id: "is not an active member" });
  const strangers = member_ids.filter((id) => !before?.member_ids.includes(id) && !isActiveMember(ctx.directory, id));
  if (strangers.length > 0) throw invalid({ [`member_ids.${member_ids.indexOf(strangers[0]!)}`]: "is not an active member" });
}

function checkDates({ start_date, end_date }: Values<typeof project>): void {
  if (start_date && end_date && end_date < start_date) throw invalid({ end_date: "must not be before start_date" });
}

const uniqueLists = ({ member_ids, labels }: Values<typeof project>): Values<typeof project> => ({
  ...(member_ids && { member_ids: [...new Set(member_ids)] }),
  ...(labels && { labels: [...new Set(labels)] }),
});

function completion(ctx: Ctx, before: Project | null, given: Values<typeof project>): Values<typeof project> {
  const was = before?.status === "completed";
  const is = given.status === undefined ? was : given.status === "completed";
  const state = { was, is, called: "the status completed", before: before?.date_completed };
  return dateOfState("date_completed", given.date_completed, state, given.date_created ?? ctx.now.toISOString());
}

// --- lead, deal and contact ---

/** The lead of a project, with records of that lead. Without a lead, the deal or the contact decides. */
async function relatedOf(
  ctx: Ctx,
  given: Values<typeof project>,
  before: Project | null = null,
): Promise<Values<typeof project>> {
  const { opportunity_id, contact_id } = { ...before, ...given };
  const deal = opportunity_id ? ((await findRecord(ctx, opportunity, opportunity_id)) ?? missing("opportunity_id")) : null;
  const person = contact_id ? ((await findRecord(ctx, contact, contact_id)) ?? missing("contact_id")) : null;
  const lead_id = given.lead_id === undefined ? (before?.lead_id ?? deal?.lead_id ?? person?.lead_id ?? null) : given.lead_id;
  if (deal !== null && deal.lead_id !== lead_id) throw invalid({ opportunity_id: "must be an opportunity of the lead" });
  if (person !== null && person.lead_id !== lead_id) throw invalid({ contact_id: "must be a contact of the lead" });

  const of = lead_id === null ? null : ((await findRecord(ctx, lead, lead_id)) ?? missing("lead_id"));
  return { lead_id, kept_lead_name: of?.display_name ?? null };
}

function missing(field: string): never {
  throw invalid({ [field]: "does not exist" });
}
