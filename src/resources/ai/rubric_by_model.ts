// A rubric that a model makes of a description. It is checked as if it were saved, so that it can be.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { rubric, rubricOperators } from "../organization/rubric.ts";
import { checkRubricFields } from "../organization/rubric_fields.ts";
import { Useless } from "./ask_model.ts";
import type { Task } from "./prompt.ts";
import { checkAddressesIn, checkedProse } from "./prose.ts";
import type { Rubric } from "./scoring.ts";

/** What a rubric is usually made of. */
const usual =
  "industry, addresses.country, addresses.city, num_contacts, num_emails, num_calls, num_meetings, last_incoming_email_date, last_communication_date, num_active_opportunities, num_won_opportunities, url, mrr, contact.title";

export const rubricTask = ({ directory }: Ctx, description: string): Task => ({
  does: `Make a rubric for scoring leads of the description in the wishes. Fields: ${usual}, and the custom fields in the data, by their keys. Operators: ${rubricOperators.join(", ")}. "contains" takes a list of alternatives, "in" a list, "between" a list of two, "within_last" a text such as "30 days", countries are codes of two letters. Weights sum to 100. At most 12 criteria.`,
  wishes: description,
  answers:
    '{"name": "…", "criteria": [{"key": "…", "label": "…", "weight": 30, "field": "…", "operator": "…", "value": …, "type": "firmographic" or "behavioral" or "role"}], "disqualifiers": [{"field": "…", "operator": "…", "value": …, "reason": "…"}]}',
  data: {
    custom_fields: [...customFieldsOf(directory, "lead")].slice(0, 200).map(([key, { name, type }]) => ({ key, name, type })),
  },
  tokens: 3000,
});

const condition = { field: z.string(), operator: z.string(), value: z.unknown().optional() };

/** Only these members are taken over. */
const shape = z.object({
  name: z.string().max(255).optional(),
  criteria: z
    .array(z.object({ key: z.string(), label: z.string(), weight: z.number(), type: z.string().optional(), ...condition }))
    .max(30),
  disqualifiers: z
    .array(z.object({ reason: z.string().optional(), ...condition }))
    .max(30)
    .optional(),
});

export function rubricIn(ctx: Ctx, description: string, answer: unknown): Rubric {
  const read = shape.safeParse(answer);
  const made = read.success ? rubric.safeParse({ ...read.data, description }) : null;
  if (!made?.success) throw new Useless("answered no rubric that can be scored by");
  const check = (text: string, most: number) => checkedProse(text, { known: description, most });
  check(made.data.name, 255);
  for (const { key, label } of made.data.criteria) check(`${key} ${label}`, 500);
  for (const { reason } of made.data.disqualifiers) if (reason !== "") check(reason, 1000);
  for (const { value } of [...made.data.criteria, ...made.data.disqualifiers]) checkAddressesIn(value, description);
  checkRubricFields(ctx, {}, { icp: { rubric: made.data } });
  return made.data;
}
