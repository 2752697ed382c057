// What stands in the way of an automation, each reason with its code. The checks of drafts give a reason for each place; the table
// here says which code that is.
import { z } from "zod";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { FindingCode } from "./finding_codes.ts";

/** One reason, with a code that never changes. A warning refuses nothing. */
export const shownFinding = z.strictObject({
  code: z.string(),
  path: z.string(),
  step_id: z.string().nullable(),
  message: z.string(),
  severity: z.enum(["error", "warning"]),
});
export type Finding = z.output<typeof shownFinding>;

export const finding = (code: FindingCode, path: string, message: string): Finding => ({
  code,
  path,
  step_id: /^graph\.steps\.([a-z0-9_]+)/.exec(path)?.[1] ?? null,
  message,
  severity: "error",
});

export const warning = (...given: Parameters<typeof finding>): Finding => ({ ...finding(...given), severity: "warning" });

/** The first line whose place and reason both match. */
const codes: readonly [place: RegExp, reason: RegExp, code: FindingCode][] = [
  [/\.(payload|input|output)_schema(\.|$)/, /^(?!is required)/, "schema_invalid"],
  [/^trigger\.type$/, /is not known/, "trigger_type_unknown"],
  [/^graph\.steps\.\w+\.type$/, /is not known/, "step_type_unknown"],
  [/\.type_version$/, /./, "type_version_unknown"],
  [/schema_version$/, /./, "schema_version_unsupported"],
  [/^graph$/, /256 KB/, "graph_too_large"],
  [/^graph\.steps$/, /or fewer/, "too_many_steps"],
  [/^graph\.steps\./, /name that must/, "step_id_invalid"],
  [/\.ports\.\w+$|^graph\.start$/, /is the trigger/, "trigger_as_target"],
  [/^graph\.start$/, /./, "start_unknown"],
  [/\.ports\.\w+$/, /is required/, "port_missing"],
  [/\.ports\.\w+$/, /not known/, "port_unknown"],
  [/\.ports\.\w+$/, /./, "port_target_unknown"],
  [/\.then\.goto$|\.config\.step$/, /./, "goto_invalid"],
  [/\.cases$/, /./, "branch_no_cases"],
  [/\.(cases|variants|classes)\.\d+\.id$/, /twice/, "branch_case_duplicate"],
  [/\.variants/, /./, "split_weights_invalid"],
  [/\.timeout$/, /is required/, "timeout_required"],
  [/\.(timeout|amount|unit|delay)(\.|$)/, /./, "duration_invalid"],
  [/\.timezone$/, /./, "timezone_unknown"],
  [/\.cron$/, /too often/, "cron_too_frequent"],
  [/\.cron$/, /./, "cron_invalid"],
  [/\.\$template$|^settings\.concurrency\.key$/, /filter/, "template_unknown_filter"],
  [/\.\$template$|^settings\.concurrency\.key$/, /./, "template_syntax"],
  [/\.date$/, /./, "date_invalid"],
  [/\.\$ref$/, /./, "ref_unknown"],
  [/\.ref$/, /is not there when/, "ref_not_available_here"],
  [/\.ref$/, /begins with an unknown name/, "ref_unknown"],
  [/\.event$/, /is no event/, "event_unknown"],
  [/./, /deep/, "condition_too_deep"],
  [/\.op$/, /does not go with/, "operator_invalid_for_field"],
  [/./, /is not a field/, "field_unknown"],
  [/\.relation$/, /./, "relation_unknown"],
  [/\.(type|ref)$/, /as it was before/, "condition_needs_present_record"],
  [/\.type$/, /is not for a/, "object_type_mismatch"],
  [/./, /cannot be changed/, "field_read_only"],
  [/./, /not a member/, "user_inactive"],
  [/\.config\.(to|cc|bcc|contact)(\.\d+)?$/, /^is no /, "config_invalid"],
  [/\.status_id$|\.(from|to|status_ids)\.\d+$/, /./, "status_not_found"],
  [/\.pipeline_id$/, /does not exist/, "pipeline_not_found"],
  [/\.role_ids\.\d+$/, /does not exist/, "role_not_found"],
  [/\.group_ids\.\d+$/, /does not exist/, "group_not_found"],
  [/\.custom_(object|activity)_type_id$/, /does not exist/, "custom_type_not_found"],
  [/\.template_id$/, /does not exist/, "template_not_found"],
  [/\.sequence_id$/, /does not exist/, "sequence_not_found"],
  [/\.list_id$/, /./, "list_not_found"],
  [/\.automation_id$/, /manual/, "child_not_manual"],
  [/\.automation_ids?(\.|$)/, /does not exist/, "automation_not_found"],
  [/\.(from|sender)$/, /./, "connected_account_missing"],
  [/\.from_number$/, /./, "phone_number_missing"],
  [/\.url$/, /./, "url_not_allowed"],
  [/^settings\.time_window/, /never opens/, "window_empty"],
  [/^filter\.|\.config\./, /is required/, "config_required"],
];

/** The same reasons with their codes. */
export const findingsOf = (errors: FieldErrors): Finding[] =>
  Object.entries(errors).map(([place, reason]) => {
    const line = codes.find(([at, said]) => at.test(place) && said.test(reason));
    return finding(line?.[2] ?? "config_invalid", place, reason);
  });

export const isError = ({ severity }: Finding): boolean => severity === "error";
export const isWarning = ({ severity }: Finding): boolean => severity === "warning";

/** Refuses a draft: `field-errors` has the reasons alone, `errors` has them with their codes. */
export function refuseDraft(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw Object.assign(invalid(errors), { errors: findingsOf(errors) });
}

/** Refuses with all errors among them, if there are any. */
export function refuseFindings(found: readonly Finding[]): void {
  const errors = found.filter(isError);
  if (errors.length > 0) throw refusalWith(errors);
}

/** `field-errors` says each in words, `errors` with its code. */
export function refusalWith(found: readonly Finding[]): Error {
  const fields = Object.fromEntries(found.map(({ code, path, message }) => [path, `${code}: ${message}`]));
  return Object.assign(invalid(fields), { errors: found });
}
