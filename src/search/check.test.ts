// A search that names something that does not exist stops the service at the start, with an error that says what is missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { label, ref, text } from "../core/field.ts";
import { resource } from "../core/resource.ts";
import { checkSearches } from "./check.ts";
import { searched } from "./searched.ts";

const words = (row: { name: string }) => [{ text: row.name }];
const lead_id = ref("lead", { onDelete: "cascade", onMove: "follow" });
const named = { prefix: "x", doc: "A thing." };
const lead = (search: Parameters<typeof searched>[0]) =>
  resource({
    ...named,
    name: "lead",
    search: searched(search),
    fields: { name: text(), lead_name: label("id", "lead", "name") },
  });
const branch = resource({ ...named, name: "branch", search: searched({ words }), fields: { lead_id, name: text() } });
const region = resource({ ...named, name: "region", search: searched({ words }), fields: { name: text() } });
const desk = resource({ ...named, name: "desk", fields: { lead_id, name: text() } });

const check = (search: Parameters<typeof searched>[0]) => {
  const resources = [lead(search), branch, region, desk];
  checkSearches({ resources, resource: (name) => resources.find((one) => one.name === name) });
};

test("a search that its tables can answer is taken", () => {
  check({ words, beginnings: true, covers: ["name"], alsoBy: { branch: ["words"] } });
  check(undefined);
});

test("a search that says what is not there is refused with what is missing", () => {
  assert.throws(() => check({ words, covers: ["nam"] }), /search of lead covers nam, which is no column of it/);
  assert.throws(() => check({ words, covers: ["lead_name"] }), /covers lead_name, which is no column/);
  assert.throws(() => check({ covers: ["name"] }), /search of lead says no words/);
  assert.throws(() => check({ beginnings: true }), /search of lead says no words/);
  assert.throws(() => check({ words, alsoBy: { office: ["words"] } }), /found by office, which no area defines/);
  assert.throws(() => check({ words, alsoBy: { region: ["words"] } }), /found by region, which has no reference lead_id/);
  assert.throws(() => check({ words, alsoBy: { desk: ["words"] } }), /found by desk, which has no column search/);
  assert.throws(() => check({ words, alsoBy: { branch: ["email"] } }), /found by branch, which has no column email_keys/);
});
