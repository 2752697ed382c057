#!/usr/bin/env node
// `npx @headwater/client types` writes the custom fields of a workspace as types.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { customFieldTypes } from "./custom_field_types.ts";
import { Headwater } from "./headwater.ts";

const usage = `Usage: npx @headwater/client types [--url URL] [--key KEY] [--out FILE]

Writes the custom fields of your workspace as types, by default into headwater.d.ts.
The URL and key are by default those in HEADWATER_URL and HEADWATER_KEY.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: "string" }, key: { type: "string" }, out: { type: "string", default: "headwater.d.ts" } },
  });
  const { url = process.env.HEADWATER_URL, key = process.env.HEADWATER_KEY, out } = values;
  if (positionals.join() !== "types" || url === undefined || key === undefined) throw new Error(usage);
  const text = await customFieldTypes(new Headwater({ url, key }));
  writeFileSync(out, text);
  console.log(`Wrote ${out}.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
