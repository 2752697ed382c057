// Who comes without a key is counted for where they come in: a crowd at one entrance holds nobody up at another, and keys go on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "./support/given.ts";
import { startService } from "./support/service.ts";

test("each way in without a key has a limit of its own, which its answers state", async (t) => {
  const on = await startService({ env: { RATE_LIMIT: "on", RATE_LIMIT_SIGN_IN: "2/60", RATE_LIMIT_OAUTH: "2/60" } });
  t.after(() => on.close());
  const acme = await organization(on);
  const ask = async (method: string, path: string, body?: string) => {
    const answer = await fetch(on.url + path, {
      method,
      redirect: "manual",
      ...(body !== undefined && { headers: { "content-type": "application/x-www-form-urlencoded" }, body }),
    });
    const policy = answer.headers.get("ratelimit-policy")?.split(";")[0];
    return { status: answer.status, policy, left: answer.headers.get("ratelimit-remaining"), text: await answer.text() };
  };
  const token = (client: string) => ask("POST", "/oauth2/token/", `client_id=${client}&grant_type=refresh_token&refresh_token=x`);

  const ways = await Promise.all([
    ask("GET", "/sign-in/"),
    ask("GET", "/oauth2/authorize/"),
    ask("GET", "/u/unknown/"),
    ask("GET", "/q/unknown/"),
    ask("POST", "/hooks/unknown/", ""),
    ask("POST", "/provider/twilio/unknown/call/browser/", ""),
    ask("GET", "/api/v1/openapi.json"),
  ]);
  assert.deepEqual(
    ways.map((one) => one.policy),
    ['"sign_in"', '"oauth"', '"link"', '"link"', '"hook"', '"provider"', '"auth"'],
  );

  const crowd = [await token("one"), await token("one"), await token("one"), await token("another")];
  assert.deepEqual(
    crowd.map(({ status, left }) => [status, left]),
    [
      [401, "1"],
      [401, "0"],
      [429, "0"],
      [401, "1"],
    ],
  );
  assert.equal(JSON.parse(crowd[2]!.text).error, "temporarily_unavailable");
  assert.equal((await ask("GET", "/password/")).status, 200);
  const page = await ask("GET", "/account/");
  assert.equal(page.status, 429);
  assert.match(page.text, /^Too many pages .* Please wait \d+ seconds/);
  assert.equal((await ask("GET", "/u/unknown/")).status, 404);
  assert.equal((await acme.get("/me/")).id, acme.userId);
});
