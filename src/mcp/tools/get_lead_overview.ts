// `get_lead_overview`: what somebody reads before they talk to a lead, in one call.
import { z } from "zod";
import { dataResult, fittingRows, linesOf, type Row, shortened } from "../shape.ts";
import { type ToolCall, tool } from "../tool.ts";

const rows = z.array(z.looseObject({}));

export const getLeadOverview = tool({
  name: "get_lead_overview",
  doc: "A lead with its first contacts, open opportunities, next tasks and newest activities, and in `total` how many there are. Better than several reads when you prepare for a lead.",
  scope: "read",
  input: { lead_id: z.string() },
  output: {
    lead: z.looseObject({}),
    contacts: rows,
    opportunities: rows,
    tasks: rows,
    activities: rows,
    total: z.looseObject({}),
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
    const lists = Object.entries({ contacts, opportunities, tasks, activities });
    const total = Object.fromEntries(lists.map(([name, one]) => [name, one.total]));
    return fittingRows(rowsMost, (most) => {
      const shown = lists.map(([name, { rows }]) => [name, rows.slice(0, most)] as const);
      const parts = shown.map(([name, rows]) => `${name} (${rows.length} of ${total[name]}):\n${linesOf(rows)}`);
      const short = shortened(lead);
      return dataResult(
        { lead: short, ...Object.fromEntries(shown), total },
        [`lead:\n${linesOf([short])}`, ...parts].join("\n"),
      );
    });
  },
});

const rowsMost = 20;

async function list(call: ToolCall, operation: string, query: Record<string, string>): Promise<{ rows: Row[]; total: number }> {
  const { body } = await call.perform(operation, { query: { ...query, _count: "exact" } });
  return { rows: body.data.map((row: Row) => brief(shortened(row, 200))), total: body.total_results };
}

/** The lead is the same everywhere here. */
const brief = ({ lead_id, lead_name, created_by_name, updated_by_name, ...row }: Row): Row => row;
