// Every code of publishing: what has it is refused, or published with a warning, with this code alone, and its smallest correction is
// published without it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, newLead } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import type { Row } from "./examples/codes.ts";
import { codeExamples } from "./examples/codes_of_references.ts";
import { findingCodes } from "./finding_codes.ts";

test("every code says what is wrong and where, and its smallest correction is published", async () => {
  const acme = await organization();
  const examples = await codeExamples(acme);

  assert.deepEqual(Object.keys(examples).sort(), Object.values(findingCodes).flat().sort());
  for (const [code, row] of Object.entries(examples)) {
    const { id, said } = await tried(acme, code, row);
    assert.deepEqual(
      said.map((one: any) => [one.code, one.path, one.severity]),
      [[code, row.path, row.by === "warning" ? "warning" : "error"]],
      JSON.stringify(said),
    );
    await acme.put(`/automations/${id}/`, { ...right, ...row.mended });
    const { status, warnings } = await acme.post(`/automations/${id}/publish/`, {});
    const left = warnings.map((one: any) => one.code);
    assert.deepEqual([status, left.includes(code)], ["active", false], code);
  }
});

const right = { trigger: newLead, graph: chain(["note.create", { note: "x" }]) };

/** What is said of a wrong one, and the automation that is corrected afterwards. */
async function tried(acme: Workspace, code: string, row: Row): Promise<{ id: string; said: any[] }> {
  const { by = "publishing", wrong, before = {}, publish = {}, as = acme } = row;
  const { id } = await acme.post("/automations/", { name: code, ...right, ...before });
  const path = `/automations/${id}/`;
  if (row.before !== undefined) await acme.post(`${path}publish/`, {});
  if (by === "saving") return { id, said: (await acme.refused(400, "PUT", path, wrong, row.path)).errors };
  await acme.put(path, wrong);
  if (by === "warning") return { id, said: (await acme.post(`${path}publish/`, {})).warnings };
  return { id, said: (await as.refused(400, "POST", `${path}publish/`, publish, row.path)).errors };
}
