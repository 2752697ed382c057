// Finds keys in a value that its schema does not know, at any depth.
import { z } from "zod";

export interface UnknownKey {
  /** A dotted path: `contacts.0.nmae`. */
  place: string;
  /** The keys that are known there. */
  known: Iterable<string>;
  /** True when the key is refused for every caller, because the schema there is strict. */
  always: boolean;
}

const none: readonly UnknownKey[] = [];
const at = (place: string, key: string | number): string => (place === "" ? `${key}` : `${place}.${key}`);

/** The keys of a value that its schema does not have. With `closed`, a loose object takes no others either. */
export function unknownWithin(schema: z.core.$ZodType, value: unknown, place = "", closed = false): readonly UnknownKey[] {
  if (typeof value !== "object" || value === null) return none;
  const of = unwrapped(schema);
  if (of instanceof z.ZodUnion)
    return fewest(of.options.filter((one) => fits(one, value)).map((one) => unknownWithin(one, value, place, closed)));
  if (Array.isArray(value))
    return of instanceof z.ZodArray ? value.flatMap((one, i) => unknownWithin(of.element, one, at(place, i), closed)) : none;
  if (of instanceof z.ZodRecord)
    return Object.entries(value).flatMap(([key, one]) => unknownWithin(of.valueType, one, at(place, key), closed));
  return of instanceof z.ZodObject ? unknownMembers(of, value as Record<string, unknown>, place, closed) : none;
}

function unknownMembers(
  { shape, def }: z.ZodObject,
  value: Record<string, unknown>,
  place: string,
  closed: boolean,
): readonly UnknownKey[] {
  const found: UnknownKey[] = [];
  const always = def.catchall instanceof z.ZodNever;
  const takesAny = def.catchall !== undefined && !always && !closed;
  for (const key in value) {
    if (Object.hasOwn(shape, key)) found.push(...unknownWithin(shape[key]!, value[key], at(place, key), closed));
    else if (!takesAny) found.push({ place: at(place, key), known: Object.keys(shape), always });
  }
  return found;
}

/** The schema inside `optional`, `default`, `transform` and the like. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodLazy) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : unwrapped(innerType);
}

/** A member of a union matches when the value has its shape, and the literals that tell it apart. */
function fits(schema: z.core.$ZodType, value: object): boolean {
  const of = unwrapped(schema);
  if (of instanceof z.ZodUnion) return of.options.some((one) => fits(one, value));
  if (of instanceof z.ZodArray || Array.isArray(value)) return of instanceof z.ZodArray && Array.isArray(value);
  if (!(of instanceof z.ZodObject)) return of instanceof z.ZodRecord || of instanceof z.ZodUnknown;
  return Object.entries(of.shape).every(([key, one]) => {
    const literal = unwrapped(one);
    return !(literal instanceof z.ZodLiteral) || literal.values.has((value as Record<string, unknown>)[key] as never);
  });
}

const fewest = (found: readonly (readonly UnknownKey[])[]): readonly UnknownKey[] =>
  found.reduce<readonly UnknownKey[] | null>((least, one) => (least === null || one.length < least.length ? one : least), null) ??
  none;

/** Whether a schema has something at a path of keys and list positions. */
export function knows(schema: z.core.$ZodType, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  const of = unwrapped(schema);
  if (of instanceof z.ZodUnion) return of.options.some((one) => knows(one, path));
  if (of instanceof z.ZodArray) return knows(of.element, rest);
  if (of instanceof z.ZodRecord) return knows(of.valueType, rest);
  return of instanceof z.ZodObject && Object.hasOwn(of.shape, key) && knows(of.shape[key]!, rest);
}
