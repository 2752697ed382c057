// An organization: one tenant, with its settings. Its own id is its `organization_id`.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { boolean, computed, formed, input, json, lookedUp, type Moment, once, onDemand, text } from "../../core/field.ts";
import { type Resource, type Row, resource } from "../../core/resource.ts";
import type { CustomField } from "../../records/custom_fields.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { parseCountry } from "../../values/country.ts";
import { currencySymbol, isCurrency } from "../../values/money.ts";
import { isTimeZone } from "../../values/time.ts";
import { customField } from "../custom_data/custom_field.ts";
import { objectTypes } from "../custom_data/object_types.ts";
import { shownField } from "../custom_data/type_fields.ts";

export { isActiveMember, user } from "./user.ts";

const check = (is: (value: string) => boolean) => (raw: string) => (is(raw) ? raw : null);

const unsubscribing =
  "Kept for clients that expect it. Mail of sequences and bulk actions has a link to unsubscribe in any case, whatever is said here.";

const shownName = z.looseObject({ id: z.string(), name: z.string() });
const shownStatus = z.object({ id: z.string(), label: z.string() });
const shownPipeline = z.looseObject({
  id: z.string(),
  name: z.string(),
  statuses: z.array(shownStatus.extend({ type: z.string() })),
});

export const organization = resource({
  name: "organization",
  prefix: "orga",
  doc: "A workspace: its members, its settings and all of its records.",
  cached: true,
  mcp: false,
  alsoShown: ["memberships", "inactive_memberships"],
  fields: {
    name: text({ required: true }),
    account_id: text({
      filled: true,
      createOnly: true,
      doc: "The billing account. By default the caller's own; required if the caller owns several.",
    }),
    currency: formed(check(isCurrency), "must be a currency code such as USD", { default: "USD" }),
    currency_symbol: computed(["currency"], z.string(), currencySymbol, "The sign of the currency."),
    timezone: formed(check(isTimeZone), "must be a time zone such as Europe/Berlin", { default: "UTC" }),
    country: formed(parseCountry, "must be a country code such as US", {
      default: "US",
      doc: "The country of phone numbers that are written without one.",
    }),
    locale: text({ default: "en", max: 35, doc: "How numbers and dates are written." }),
    settings: json(z.record(z.string(), z.unknown()), {
      default: {},
      doc: "Merged into the present settings: only the given members change, and null removes one. The service uses `icp.rubric`, `ai`, `call_outcomes`, `meeting_outcomes`, `email_tracking`, `business_hours`, `holiday_calendars`, `business_calendar`, `sequences`, `branding` (the `name`, `address` and `logo_file_id` that customers read on quotes) and `retention` (`mail_days`, `recording_days`, `event_days`: what is older is deleted; only admins may); others are stored as they are.",
    }),
    enable_unsubscribe_link: boolean({ default: false, doc: unsubscribing }),
    require_unsubscribe_link: boolean({ default: false, doc: unsubscribing }),
    lead_statuses: input(z.array(z.object({ id: z.string() })).max(1000), {
      shown: lookedUp([], z.array(shownStatus), leadStatusesOf),
      doc: "In their order. Sending them in another order reorders them.",
    }),
    pipelines: lookedUp([], z.array(shownPipeline), pipelinesOf, "The pipelines with their statuses."),
    ...smallRecords(),
    api_key: once("The creator's key in the new organization. It is shown only once."),
  },
});

/** Everything that an organization has set up, for clients that need it at once. Shown when named in `_fields`. */
function smallRecords() {
  const list = (resource: string, keys: readonly string[], shown: z.ZodType = shownName) =>
    onDemand(
      lookedUp([], z.array(shown), (directory) =>
        directory.all(resource).map((row) => Object.fromEntries(["id", ...keys].map((key) => [key, row[key]]))),
      ),
    );
  const customFields = Object.fromEntries(
    objectTypes.map((type) => [
      `${type.replace(/_type$/, "")}_custom_fields`,
      onDemand(
        lookedUp([], z.array(outputSchema(customField)), (directory, moment: Moment) =>
          directory
            .list(customField)
            .filter((field) => field.object_type === type)
            .map((field) => shownField(field as CustomField, directory, moment)),
        ),
      ),
    ]),
  );
  return {
    opportunity_statuses: list("opportunity_status", ["label", "type", "pipeline_id"], shownStatus.loose()),
    custom_activity_types: list("custom_activity_type", ["name"]),
    custom_object_types: list("custom_object_type", ["name"]),
    groups: list("group", ["name"]),
    roles: list("role", ["name"]),
    ...customFields,
  };
}

function leadStatusesOf(directory: Directory): { id: string; label: string }[] {
  return directory.all("lead_status").map(({ id, label }) => ({ id: id as string, label: label as string }));
}

function pipelinesOf(directory: Directory): z.output<typeof shownPipeline>[] {
  const statuses = directory.all("opportunity_status") as { id: string; label: string; type: string; pipeline_id: string }[];
  return directory.all("pipeline").map((pipeline) => {
    const { id, organization_id, name, date_created, date_updated } = pipeline as Row<Resource> & { name: string };
    const own = statuses.filter((status) => status.pipeline_id === id).map(({ id, label, type }) => ({ id, label, type }));
    return { id, organization_id, name, statuses: own, date_created, date_updated };
  });
}

/** The organization's own record. */
export const organizationOf = (directory: Directory): Row<typeof organization> =>
  directory.get(organization, directory.organization_id)!;
