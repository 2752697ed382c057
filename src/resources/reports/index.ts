import type { Operation } from "../../core/operation.ts";
import { activityReport } from "./activity.ts";
import { listMetrics } from "./activity_metrics.ts";
import { aggregate } from "./aggregate.ts";
import { callsFunnelReport } from "./calls_funnel.ts";
import { funnelReport } from "./funnel.ts";
import { opportunityFunnelsReport } from "./opportunity_funnels.ts";
import { salesReport } from "./sales.ts";
import { sentEmailsReport } from "./sent_emails.ts";
import { leadStatusChangeReport, opportunityStatusChangeReport } from "./status_change.ts";

export const reports: Operation[] = [
  listMetrics,
  activityReport,
  funnelReport,
  callsFunnelReport,
  opportunityFunnelsReport,
  salesReport,
  leadStatusChangeReport,
  opportunityStatusChangeReport,
  sentEmailsReport,
  aggregate,
];
