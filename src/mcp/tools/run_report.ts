// `run_report`: the reports of `/report/…`.
import { z } from "zod";
import { data, rowsFrom } from "../arguments.ts";
import { readOn } from "../read_on.ts";
import { answerResult, byAnother } from "../shape.ts";
import { tool } from "../tool.ts";

const reports = [
  "activity",
  "calls_funnel",
  "funnel",
  "opportunity_funnels",
  "sales",
  "sent_emails",
  "status_change_lead",
  "status_change_opportunity",
] as const;

export const runReport = tool({
  name: "run_report",
  doc: "Runs a report of the workspace: activity of members, funnels, sales, sent e-mails, changes of status. Reports take relative_range (such as this-month, last-month or this-quarter) or datetime_range, users, query and currency.",
  scope: "read",
  input: { report: z.enum(reports), arguments: data.default({}), rows_from: rowsFrom },
  output: { datetime_range: z.looseObject({}) },
  operations: reports.map((report) => `report.${report}`).concat("report.metrics"),
  behind: ({ core }) => core.registry.operation("report.activity")!,
  async run(call, { report, arguments: body, rows_from = 0 }) {
    const answered = (await call.perform(`report.${report}`, { body })).body;
    return answerResult(readOn(answered, { text_from: 0, rows_from }));
  },
  onward: ({ rows_from }) => byAnother(rows_from),
});
