// `get_lead_overview`: what somebody reads before they talk to a lead, in one call.
import { z } from "zod";
import { dataResult, fittingRows, linesOf, type Row, shortened } from "../shape.ts";
import { type ToolCall, tool } from "../tool.ts";

const rows = z.array(z.looseObject({}));

export const getLeadOverview = tool({
  name: "get_lead_overview",
  doc: "A lead with its contacts, open opportunities, next tasks and ten newest activities, in one call. Better than several reads when you prepare for a lead.",
  scope: "read",
  input: { lead_id: z.string() },
  output: {
    lead: z.looseObject({}),
    contacts: rows,
    opportunities: rows,
    tasks: rows,
    activities: rows,
    cut: z.array(z.string()),
  },
  operations: ["lead.get", "contact.list", "opportunity.list", "task.list", "activity.list"],
  async run(call, { lead_id }) {
    const { body: lead } = await call.perform("lead.get", { params: { id: lead_id } });
    const [contacts, opportunities, tasks, activities] = await Promise.all([
      list(call, "contact.list", { lead_id, _limit: String(rowsMost) }),
      list(call, "opportunity.list", { lead_id, status_type: "active", _limit: String(rowsMost) }),
      list(call, "task.list", { lead_id, is_complete: "false", _order_by: "date", _limit: "10" }),
      list(call, "activity.list", { lead_id, _limit: "10" }),
    ]);
    const lists = { contacts, opportunities, tasks, activities };
    return fittingRows(rowsMost, (most) => {
      const left = Object.entries(lists).filter(([, all]) => all.length > most);
      const shown = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.slice(0, most)]));
      const overview = { lead: shortened(lead), ...shown, ...(left.length > 0 && { cut: left.map(([name]) => name) }) };
      const parts = Object.entries(overview).map(([name, one]) => `${name}:\n${linesOf([one].flat() as Row[])}`);
      return dataResult(overview, parts.join("\n"));
    });
  },
});

const rowsMost = 20;

async function list(call: ToolCall, operation: string, query: Record<string, string>): Promise<Row[]> {
  const { body } = await call.perform(operation, { query });
  return body.data.map((row: Row) => brief(shortened(row, 200)));
}

/** The lead is the same everywhere here. */
const brief = ({ lead_id, lead_name, created_by_name, updated_by_name, ...row }: Row): Row => row;
