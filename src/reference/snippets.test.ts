// What the reference shows of a request works as it is copied, in each language.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { said } from "../../test/support/guides.ts";
import { type Request, requestIn, snippetsOf } from "./snippets.ts";

const programs: Record<string, string> = { sh: "sh", ts: process.execPath, py: "python3" };

describe("a request that is copied from the reference", () => {
  for (const language of ["sh", "ts", "py"])
    test(`creates, lists, changes and deletes in ${language}`, async () => {
      const acme = await organization();
      const folder = mkdtempSync(join(tmpdir(), "headwater-snippets-"));
      const run = async (request: Partial<Request>) => {
        const whole: Request = { method: "GET", path: "/lead/", query: {}, body: undefined, lasts: false, ...request };
        const file = join(folder, `snippet.${language}`);
        const { text } = snippetsOf(whole, `${acme.service.url}/api/v1`).find((one) => one.language === language)!;
        writeFileSync(file, text);
        return said(programs[language]!, [file], { PATH: process.env.PATH, HEADWATER_KEY: acme.key });
      };
      try {
        await run({ method: "POST", body: { name: 'Gob\'s "Magic"', tags: ["a", "b"], mrr: null, contacts: [{ name: "Gob" }] } });
        const [lead] = (await acme.get("/lead/?_expand=contacts")).data;
        assert.deepEqual([lead.name, lead.tags, lead.contacts[0].name], ['Gob\'s "Magic"', ["a", "b"], "Gob"]);

        assert.match(await run({ query: { name: 'Gob\'s "Magic"', _fields: "id,name" } }), new RegExp(lead.id));
        await run({ method: "PUT", path: `/lead/${lead.id}/`, body: { description: "One\nTwo" } });
        assert.equal((await acme.get(`/lead/${lead.id}/`)).description, "One\nTwo");
        await run({ method: "DELETE", path: `/lead/${lead.id}/` });
        assert.deepEqual((await acme.get("/lead/")).data, []);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

  test("is read from a guide, with what is not a request left as it is", () => {
    assert.deepEqual(requestIn('POST /lead/\n{"name": "Acme"}'), {
      method: "POST",
      path: "/lead/",
      query: {},
      body: { name: "Acme" },
      lasts: false,
    });
    assert.equal(requestIn("POST /lead/\nname=Acme"), null);
    assert.equal(requestIn("HTTP/1.1 200 OK"), null);
  });
});
