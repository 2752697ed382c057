// The kinds of record that an organization can add fields to, as paths name them.

export const objectTypes = [
  "lead",
  "contact",
  "opportunity",
  "activity",
  "custom_object_type",
  "shared",
  "task",
  "product",
  "project",
  "quote",
] as const;
export type ObjectType = (typeof objectTypes)[number];

/** The kinds that a shared field can be associated with. */
export const recordTypes = objectTypes.filter((one) => one !== "shared");

const aliases: Readonly<Record<string, ObjectType>> = { custom_activity: "activity", custom_object: "custom_object_type" };

export function objectTypeNamed(name: string): ObjectType | undefined {
  return objectTypes.find((one) => one === name) ?? (Object.hasOwn(aliases, name) ? aliases[name] : undefined);
}

/** Kinds whose fields belong to one of their types, by the column that names it. */
export const typeColumns = { activity: "custom_activity_type_id", custom_object_type: "custom_object_type_id" } as const;

export const hasTypes = (name: string): name is keyof typeof typeColumns => Object.hasOwn(typeColumns, name);

/** The prefix of ids of such types. */
export const typePrefixes = { activity: "actitype", custom_object_type: "cotype" } as const;

/** The resources of such types. */
export const typeResources = { activity: "custom_activity_type", custom_object_type: "custom_object_type" } as const;
