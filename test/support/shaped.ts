// Generates values in the shape of a schema, with arbitrary texts in them.
import fc from "fast-check";
import { z } from "zod";

const depthMax = 6;

/** Objects have some of their keys, and sometimes an unknown one. All texts, also those of enums, come from `text`. */
export function shaped(schema: z.core.$ZodType, text: fc.Arbitrary<string>, depth = 0): fc.Arbitrary<unknown> {
  const inner = (one: z.core.$ZodType) => shaped(one, text, depth + 1);
  if (depth > depthMax) return text;
  if (schema instanceof z.ZodObject) return objectOf(schema, text, inner);
  if (schema instanceof z.ZodArray) return fc.array(inner(schema.element), { maxLength: 2 });
  if (schema instanceof z.ZodRecord) return fc.dictionary(text, inner(schema.valueType), { maxKeys: 2 });
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(inner));
  if (schema instanceof z.ZodLazy) return inner(schema.unwrap());
  if (schema instanceof z.ZodPipe) return inner(schema.in);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodEnum) return fc.oneof(text, fc.constantFrom(...schema.options));
  if (schema instanceof z.ZodNumber) return fc.integer({ min: 0, max: 5 });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodString) return text;
  const wrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return wrapped ? inner(schema.unwrap()) : anything(text);
}

function objectOf(
  schema: z.ZodObject,
  text: fc.Arbitrary<string>,
  inner: (one: z.core.$ZodType) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const known = Object.entries(schema.shape).map(([key, one]): [string, fc.Arbitrary<unknown>] => [
    key,
    // A value without its type matches no member of a union.
    one instanceof z.ZodLiteral ? inner(one) : fc.option(inner(one), { nil: undefined }),
  ]);
  const unknown = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.tuple(fc.tuple(text, anything(text))));
  return fc
    .tuple(fc.tuple(...known.map(([key, value]) => value.map((one) => [key, one] as const))), unknown)
    .map(([given, more]) => Object.fromEntries([...given.filter(([, value]) => value !== undefined), ...more]));
}

/** Text, and lists and objects of it. */
export const anything = (text: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.oneof(
    text,
    fc.constantFrom(null, 1, true),
    fc.array(text, { maxLength: 2 }),
    fc.dictionary(text, text, { maxKeys: 2 }),
    fc.record({ type: text, name: text, value: text }),
  );
