// Whether leads and their people have the fields that a rubric names: a criterion on a field that nobody has would never give points.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { hint } from "../../values/reasons.ts";
import type { Settings } from "./settings.ts";

/** These compare what they say, whatever field is named. */
const ownField = new Set(["has_tag", "in_list", "status_is", "owner_is"]);

type Named = { field: string; operator: string };
type Rubric = { criteria: Named[]; disqualifiers: Named[] };
const rubricIn = (settings: Settings): Rubric | undefined => (settings.icp as { rubric?: Rubric } | undefined)?.rubric;
const listsOf = ({ criteria = [], disqualifiers = [] }: Rubric) => Object.entries({ criteria, disqualifiers });

/** Only fields that are newly named are checked: others may have been deleted since, and the rest must stay changeable. */
export function checkRubricFields(ctx: Ctx, before: Settings, after: Settings): void {
  const [present, rubric] = [rubricIn(before), rubricIn(after)];
  if (rubric === undefined) return;
  const named = new Set(present === undefined ? [] : listsOf(present).flatMap(([, all]) => all.map(({ field }) => field)));
  const known = { lead: namesOf(ctx, "lead"), contact: namesOf(ctx, "contact") };
  const errors: FieldErrors = {};
  for (const [list, all] of listsOf(rubric))
    all.forEach(({ field, operator }, i) => {
      if (named.has(field) || ownField.has(operator)) return;
      const [, of, path] = /^(lead|contact)s?\.(.+)$/.exec(field) ?? [null, null, field];
      const names = of === null ? [...known.lead, ...known.contact] : known[of as "lead" | "contact"];
      const first = path!.startsWith("custom.") ? path! : path!.split(".")[0]!;
      if (names.includes(first)) return;
      const place = `settings.icp.rubric.${list}.${i}.field`;
      errors[place] = `is not a field of ${of === null ? "leads or contacts" : `${of}s`}${hint(first, names)}`;
    });
  if (Object.keys(errors).length > 0) refuse({ "settings.icp.rubric": "is not a valid rubric", ...errors });
}

const namesOf = ({ registry, directory }: Ctx, kind: string): string[] => [
  ...Object.keys(registry.resource(kind)?.fields ?? {}),
  ...customFieldsOf(directory, kind).keys(),
];
