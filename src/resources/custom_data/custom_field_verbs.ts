// The verbs of custom fields.
import type { Ctx } from "../../core/context.ts";
import { collect, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Patch } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { lockPlaces, placeBehind, pushedBack } from "../shared/positions.ts";
import { needsWideScope } from "../shared/wide_scope.ts";
import { convertValues, keepValues, refuseWhileChanging, removeValues } from "./change_values.ts";
import { type Association, type CustomField, customField } from "./custom_field.ts";
import { placesOf } from "./field_values.ts";
import { hasTypes, typeColumns, typeResources } from "./object_types.ts";
import { checkRoles } from "./roles.ts";

/** A definition before its defaults are filled in. */
type Definition = Partial<CustomField> & Pick<CustomField, "object_type" | "type">;

export async function createCustomField(ctx: Ctx, input: Create<typeof customField>): Promise<CustomField> {
  const { drop_unconvertible_values: _, ...given } = input;
  // The kind of record in the path was added to the body (`index.ts`).
  const definition = given as Definition;
  checkDefinition(ctx, definition, null);

  lockPlaces(ctx, customField);
  if (given.position !== undefined) await makeRoom(ctx, definition, given.position);
  const position = given.position ?? (await placeBehind(ctx, customField));
  return store.insert(ctx, customField, { ...definition, position });
}

/** A change of type converts the stored values: in the same transaction, or in the background if there are many. */
export async function updateCustomField(ctx: Ctx, before: CustomField, patch: Patch<typeof customField>): Promise<CustomField> {
  const { drop_unconvertible_values: drop = false, ...given } = patch;
  if (drop) needsWideScope(ctx, "To drop values");
  const after = withDefaultsOfType(before, given);
  if (after.type !== before.type) refuseFixedType(before, after);
  checkDefinition(ctx, after, before);

  const differs = (...keys: (keyof CustomField)[]) => keys.some((key) => !same(before[key], after[key]));
  if (differs("type", "choices", "accepts_multiple_values", "associations")) await refuseWhileChanging(ctx, before);
  const converts = differs("type", "accepts_multiple_values");
  const defined = converts ? await convertValues(ctx, before, after, drop) : after;
  if (differs("associations")) await keepValues(ctx, before, after.associations);
  await removeValues(ctx, before, dissociated(before, after), after.associations);
  if (after.position !== before.position) await makeRoom(ctx, after, after.position);
  return store.update(ctx, customField, before, defined);
}

/** Removes the values from all records. */
export async function deleteCustomField(ctx: Ctx, before: CustomField): Promise<void> {
  await refuseWhileChanging(ctx, before);
  await removeValues(ctx, before, placesOf(before), []);
  await store.remove(ctx, customField, [before]);
}

async function makeRoom(ctx: Ctx, { id, object_type }: Definition, position: number): Promise<void> {
  const fields = await lockToChange(ctx, customField, sql`t.object_type = ${object_type}`);
  const others = fields.filter((one) => one.id !== id);
  for (const [field, place] of pushedBack(others, position)) store.update(ctx, customField, field, { position: place });
}

/** Settings that the new type does not have are removed with the change, unless the request says otherwise. */
function withDefaultsOfType(before: CustomField, given: Partial<CustomField>): CustomField {
  const type = given.type ?? before.type;
  const cleared = {
    ...(type === "choices" ? {} : { choices: null }),
    ...(severalPossible.has(type) ? {} : { accepts_multiple_values: false }),
  };
  return type === before.type ? { ...before, ...given } : { ...before, ...cleared, ...given };
}

/** Types that may have several values. */
const severalPossible: ReadonlySet<string> = new Set(["choices", "user", "contact", "custom_object"]);

function refuseFixedType(before: CustomField, after: CustomField): void {
  const { object_type } = before;
  if (hasTypes(object_type) || object_type === "shared") throw invalid({ type: "cannot be changed" });
  // A reference must name the kind of its target. Text that happens to look like an id is not taken for a reference.
  if (after.type === "contact" || after.type === "custom_object")
    throw invalid({ type: `cannot become ${after.type}; create another field for that` });
}

/** Where a shared field was used and no longer is. */
const dissociated = (before: CustomField, after: CustomField): Association[] =>
  before.associations.filter((was) => !after.associations.some((is) => samePlace(was, is)));

const samePlace = (a: Association, b: Association): boolean => placeOf(a) === placeOf(b);
const placeOf = (one: Association): string =>
  `${one.object_type} ${one.custom_activity_type_id ?? ""} ${one.custom_object_type_id ?? ""}`;

// --- checks of a definition ---

function checkDefinition(ctx: Ctx, field: Definition, before: CustomField | null): void {
  const errors: FieldErrors = {};
  collect(errors, () => checkValues(field));
  collect(errors, () => checkPlace(field));
  collect(errors, () => checkTypes(ctx, field, before));
  const known = [
    ...(before?.editable_with_roles ?? []),
    ...(before?.associations ?? []).flatMap((one) => one.editable_with_roles),
  ];
  collect(errors, () => checkRoles(ctx, field.editable_with_roles ?? [], "editable_with_roles", known));
  field.associations?.forEach((one, i) => {
    collect(errors, () => checkRoles(ctx, one.editable_with_roles, `associations.${i}.editable_with_roles`, known));
  });
  refuse(errors);
}

function checkValues({ type, choices, accepts_multiple_values, ...field }: Definition): void {
  const problems: FieldErrors = {};
  if (type === "textarea" && !hasTypes(field.object_type))
    problems.type = "textarea is for fields of custom activities and objects; here use text";
  if (type === "choices" && !choices?.length) problems.choices = "is required for fields of type choices";
  if (type !== "choices" && choices?.length) problems.choices = "is only for fields of type choices";
  if (accepts_multiple_values && !severalPossible.has(type))
    problems.accepts_multiple_values = `is only for fields of type ${[...severalPossible].join(", ")}`;
  if (type === "custom_object" && !field.referenced_custom_type_id)
    problems.referenced_custom_type_id = "is required for fields of type custom_object";
  if (type !== "custom_object" && field.referenced_custom_type_id)
    problems.referenced_custom_type_id = "is only for fields of type custom_object";
  refuse(problems);
}

function checkPlace(field: Definition): void {
  const { object_type, associations = [] } = field;
  const problems: FieldErrors = {};
  if (field.required && !hasTypes(object_type)) problems.required = "is only for fields of custom activities and objects";
  for (const [kind, column] of Object.entries(typeColumns)) {
    if (kind === object_type && !field[column]) problems[column] = "is required";
    if (kind !== object_type && field[column]) problems[column] = `is only for fields under /custom_field/${kind}/`;
  }
  if (associations.length > 0 && object_type !== "shared") problems.associations = "is only for shared fields";
  associations.forEach((one, i) => {
    if (associations.slice(0, i).some((other) => samePlace(one, other))) problems[`associations.${i}`] = "is there already";
    for (const [kind, column] of Object.entries(typeColumns))
      if (kind !== one.object_type && one[column]) problems[`associations.${i}.${column}`] = `is only for ${kind}`;
    if (one.required && !hasTypes(one.object_type))
      problems[`associations.${i}.required`] = "is only for custom activities and objects";
  });
  refuse(problems);
}

/** The types of custom activities and objects that an association names must exist. */
function checkTypes(ctx: Ctx, { associations = [] }: Definition, before: CustomField | null): void {
  const problems: FieldErrors = {};
  associations.forEach((one, i) => {
    for (const kind of Object.keys(typeColumns) as (keyof typeof typeColumns)[]) {
      const id = one[typeColumns[kind]];
      const kept = before?.associations.some((was) => was[typeColumns[kind]] === id);
      const exists = id === undefined || kept || ctx.directory.find(typeResources[kind], id) !== undefined;
      if (!exists) problems[`associations.${i}.${typeColumns[kind]}`] = "does not exist";
    }
  });
  refuse(problems);
}
