// Whether a reference to a field of the record has a value of the kind that its place takes, as far as that is known before it runs.

import type { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { AnyField, ColumnType, Field } from "../../core/field.ts";
import type { Resource } from "../../core/resource.ts";
import { aNoun } from "../../records/standard_operation.ts";
import type { Parameter } from "./catalog.ts";
import { isItself, isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import type { Step } from "./graph_shape.ts";
import { recordOf } from "./record_references.ts";
import { stepTypesByName } from "./step_types.ts";

type Kind = "text" | "number" | "boolean" | "time";

const kinds: Readonly<Partial<Record<ColumnType, Kind>>> = {
  text: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  date: "time",
  timestamp: "time",
};

/** Values of a kind, of which a place that takes the kind takes at least one. */
const samples: Readonly<Record<Kind, readonly unknown[]>> = {
  text: ["x", "09:00", "2026-01-01", "Europe/Berlin", "a@example.com", "https://example.com/", "+12125550123"],
  number: [1, 1.5],
  boolean: [true],
  time: ["2026-01-01", "2026-01-01T00:00:00.000Z"],
};

const takes = (schema: z.ZodType, kind: Kind): boolean => samples[kind].some((one) => schema.safeParse(one).success);

export function problemsOfRefTypes({ registry }: Ctx, plan: Plan): Finding[] {
  const of = recordOf(registry, plan);
  if (of === undefined || of.kinds !== undefined) return [];
  return Object.entries(plan.graph.steps).flatMap(([id, step]) => [
    ...problemsOfStep(of, step, `graph.steps.${id}.config`),
    ...problemsOfFields(of, step, `graph.steps.${id}.config.fields`),
  ]);
}

function problemsOfStep(of: Resource, { type, config }: Step, at: string): Finding[] {
  const parameters = stepTypesByName.get(type)?.config ?? {};
  return Object.entries(config).flatMap(([key, value]) => {
    const [named, parameter] = [fieldNamed(of, value), parameters[key]];
    if (named === null || parameter === undefined) return [];
    if (type === "loop" && key === "items") return [mismatch(of, named, `${at}.${key}.$ref`, "a list")];
    const wanted = wantedOf(named, parameter, type === "wait.until" && key === "date");
    return wanted === null ? [] : [mismatch(of, named, `${at}.${key}.$ref`, wanted)];
  });
}

/** What the place takes in place of this field; null if the field may fit. */
function wantedOf({ field, kind }: Named, { schema, names }: Parameter, isMoment: boolean): string | null {
  if (isMoment) return kind === "time" || (kind === "text" && field.ref === null) ? null : "a time";
  if (names === undefined) return takes(schema, kind) ? null : "a value of another kind";
  const isOther = field.ref !== null && !names.includes(field.ref.to);
  return kind === "text" && !isOther ? null : `the id of a ${names.map((name) => name.replaceAll("_", " ")).join(" or ")}`;
}

/** What fields of the record itself are set to. */
function problemsOfFields(of: Resource, { type, config }: Step, at: string): Finding[] {
  if (type !== "record.update" || !isObject(config.fields) || !isItself(config.target)) return [];
  return Object.entries(config.fields).flatMap(([name, value]) => {
    const [named, field] = [fieldNamed(of, value), of.fields[name] as AnyField | undefined];
    if (named === null || field?.source !== "column" || takes(field.schema, named.kind)) return [];
    return [mismatch(of, named, `${at}.${name}.$ref`, `what ${name} takes`)];
  });
}

interface Named {
  name: string;
  field: Field;
  kind: Kind;
}

/** The column of the record that a reference names; null for any other value. */
function fieldNamed(of: Resource, value: unknown): Named | null {
  const [, name] = /^record\.(\w+)$/.exec(isObject(value) ? String(value.$ref) : "") ?? [];
  const field = name === undefined ? undefined : (of.fields[name] as AnyField | undefined);
  const kind = field?.source === "column" ? kinds[field.type] : undefined;
  return kind === undefined ? null : { name: name!, field: field as Field, kind };
}

const mismatch = (of: Resource, { name, kind, field }: Named, at: string, wanted: string): Finding => {
  const what = field.ref === null ? `a ${kind}` : `the id of a ${field.ref.to.replaceAll("_", " ")}`;
  return finding("ref_type_mismatch", at, `names ${name} of ${aNoun(of)}, which is ${what}: it must name ${wanted}`);
};
