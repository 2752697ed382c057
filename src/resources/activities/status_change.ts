// Changes of status. Each keeps the labels and types of its day. When a status is later renamed or deleted, history does not
// change.
import { z } from "zod";
import { computed, date, integer, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { formatMoney } from "../../values/money.ts";
import { act, kind } from "./act.ts";

const noted = text({ readOnly: true });

export const leadStatusChange = resource({
  ...kind("LeadStatusChange", "lead_status_change", "status_change/lead"),
  doc: "Records that a lead moved from one status to another.",
  fields: {
    ...act("LeadStatusChange"),
    old_status_id: noted,
    old_status_label: noted,
    new_status_id: noted,
    new_status_label: noted,
  },
});

export const opportunityStatusChange = resource({
  ...kind("OpportunityStatusChange", "opportunity_status_change", "status_change/opportunity"),
  doc: "Records that a deal moved from one status to another, and its value at that time.",
  fields: {
    ...act("OpportunityStatusChange"),
    old_status_id: noted,
    old_status_label: noted,
    old_status_type: noted,
    old_pipeline_id: noted,
    old_pipeline_name: noted,
    new_status_id: noted,
    new_status_label: noted,
    new_status_type: noted,
    new_pipeline_id: noted,
    new_pipeline_name: noted,
    opportunity_value: integer({ readOnly: true, doc: "In minor units." }),
    opportunity_value_currency: noted,
    opportunity_value_formatted: computed(
      ["opportunity_value", "opportunity_value_currency"],
      z.string().nullable(),
      (value: number | null, currency: string | null) => formatMoney(value, currency ?? "USD"),
    ),
    opportunity_value_period: noted,
    opportunity_confidence: integer({ readOnly: true, doc: "The confidence of the deal then, in percent." }),
    opportunity_date_won: date({ readOnly: true, doc: "When the deal was won." }),
  },
});
