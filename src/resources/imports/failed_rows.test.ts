// The file of failed rows, when it is sent again and again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

async function imported(acme: Workspace, body: object, mapping: object): Promise<string> {
  const { id } = await acme.post("/import/", body);
  await acme.put(`/import/${id}/`, { mapping });
  await withWorker(acme.service, (worker) => worker.drained());
  return id;
}

const errorsOf = async (acme: Workspace, id: string): Promise<string[]> =>
  (await acme.ask("GET", `/import/${id}/errors/`, {})).text.trim().split(/\r?\n/);

test("a file of failed rows that fails again has one column of errors, with the last ones", async () => {
  const acme = await organization();
  const mapping = { Company: "name", "E-mail": "contact.email" };
  const first = await errorsOf(acme, await imported(acme, { csv: "Company,E-mail\nBad,bad@\n" }, mapping));
  const csv = first.join("\n").replace("bad@", "x@bad@");

  const again = await errorsOf(acme, await imported(acme, { csv }, mapping));
  const bytes = Buffer.from('{"Company":"Bad","E-mail":"bad@","error":"of before"}').toString("base64");
  const lines = await errorsOf(acme, await imported(acme, { content_base64: bytes }, mapping));

  assert.deepEqual(again, ['"Company","E-mail","error"', '"Bad","x@bad@","E-mail: is not an e-mail address"']);
  assert.deepEqual(JSON.parse(lines[0]!), { Company: "Bad", "E-mail": "bad@", error: "E-mail: is not an e-mail address" });
});

test("a column called error that is imported keeps its name and values beside the errors", async () => {
  const acme = await organization();
  const mapping = { Company: "name", error: "description", "E-mail": "contact.email" };
  const first = await errorsOf(acme, await imported(acme, { csv: "Company,error,E-mail\nBad,E12,bad@\n" }, mapping));

  const again = await errorsOf(acme, await imported(acme, { csv: first.join("\n") }, mapping));

  assert.deepEqual(first, ['"Company","error","E-mail","error 2"', '"Bad","E12","bad@","E-mail: is not an e-mail address"']);
  assert.deepEqual(again, first);
});
