// The close date of other services: when an open deal is expected to close, and when a won or lost one has closed.
import type { Ctx } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import { dayIn, startOfDay, todayIn } from "../../values/time.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { refuseEndBeforeCreated, refuseLaterDay, refuseLaterMoment } from "../shared/history.ts";
import type { Body } from "./bodies.ts";

/** Turns the close date that was read into the dates of a deal. `columns` has the names of the columns that they come from. */
export function putClosing(ctx: Ctx, deal: Body, columns: Map<string, string>, zone: string): void {
  const { close_date: day, ...rest } = deal;
  if (day === undefined) return;
  delete deal.close_date;
  const type = ctx.directory.get(opportunityStatus, rest.status_id)?.type;
  put("expected_close_date", day);
  if (day > todayIn(ctx.now, zone)) return;
  if (type === "won") put("date_won", day);
  if (type === "lost") put("date_lost", startOfDay(day, zone));
  // Their date of creation is often that of an import from elsewhere, later than the deal itself.
  const isClosed = type === "won" || type === "lost";
  if (isClosed && deal.date_created && dayIn(deal.date_created, zone).toString() > day) deal.date_created = startOfDay(day, zone);

  function put(field: string, value: string): void {
    if (deal[field] !== undefined) return;
    deal[field] = value;
    columns.set(`opportunity.${field}`, columns.get("opportunity.close_date")!);
  }
}

/** A deal of an export of this service may have ended before it was entered, as a create without a date of creation takes it. */
export function dropLaterCreation(deal: Body): void {
  const { date_created, date_won, date_lost } = deal;
  const ends = [date_won, date_lost].filter((one) => typeof one === "string");
  if (date_created && ends.some((one) => one < (one.length === 10 ? date_created.slice(0, 10) : date_created)))
    delete deal.date_created;
}

/** Tells of dates what a create would refuse, so that it is an error of their columns. */
export function checkDates(ctx: Ctx, body: Body): void {
  const { date_created, date_won, date_lost, id, status_id } = body;
  if (date_created) below("date_created", () => refuseLaterMoment(date_created, ctx));
  if (date_won) below("date_won", () => refuseLaterDay(date_won, ctx));
  if (date_lost) below("date_lost", () => refuseLaterMoment(date_lost, ctx));
  const mayBeLost = (id && !status_id) || ctx.directory.get(opportunityStatus, status_id)?.type === "lost";
  if (date_lost && !mayBeLost) throw invalid({ date_lost: "only goes with a lost status" });
  if (!id) refuseEndBeforeCreated(body);
}
