// Every operation has an example of a request and its answer, which is shown in the reference. It is one that a live service answered:
// the story of `examples/` is told again here, and what is committed must have the same requests, statuses and shapes.
// `EXAMPLES=write npm test -- test/contract/examples.test.ts` writes the file.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { eventsOf } from "../../src/http/about_operation.ts";
import { matchesEvent } from "../../src/resources/events/event_names.ts";
import { operations } from "../../src/resources/index.ts";
import { organization } from "../support/given.ts";
import { startOauthProvider } from "../support/oauth_provider.ts";
import { type Service, startService } from "../support/service.ts";
import { type MailServer, startMailServer } from "../support/smtp.ts";
import { startTwilio, type TwilioServer } from "../support/twilio.ts";
import { activities } from "./examples/activities.ts";
import { outreach } from "./examples/outreach.ts";
import { people } from "./examples/people.ts";
import { programs } from "./examples/programs.ts";
import { records } from "./examples/records.ts";
import { cut, differences, Stable } from "./examples/stable.ts";
import { Story, type Told } from "./examples/story.ts";

const file = new URL("../../generated/examples.json", import.meta.url);

let service: Service;
let mail: MailServer;
let twilio: TwilioServer;
let told: Map<string, Told>;

/** Tells it, and makes it stable. */
async function tell(): Promise<Map<string, Told>> {
  mail = await startMailServer();
  twilio = await startTwilio();
  const oauth = await startOauthProvider();
  const env = { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8", ...oauth.env };
  service = await startService({ env });
  // In the working hours of those who are called.
  service.clock.now = new Date(`${new Date().toISOString().slice(0, 10)}T17:00:00.000Z`);
  twilio.clock = () => service.clock.now!;
  const ws = await organization(service);
  const me = await ws.get("/me/");
  const story = new Story(ws);

  const everybody = await people(story);
  const made = await records(story, everybody);
  await activities(story, made);
  await outreach(story, made, { mail, twilio });
  await programs(story, made);

  const { email } = await everybody.bob.get("/me/");
  const stable = new Stable(service.clock.now, [
    [me.email, "lucille@austero.example"],
    [email, "bob@austero.example"],
    [twilio.account_sid, `AC${"0".repeat(32)}`],
    [/http:\/\/127\.0\.0\.1:\d+\/hook/g, "https://hooks.example.com/headwater"],
    [service.url, "https://crm.example.com"],
    [/http:\/\/localhost/g, "https://crm.example.com"],
    ["http%3A%2F%2Flocalhost", "https%3A%2F%2Fcrm.example.com"],
    [/https?:\/\/127\.0\.0\.1:\d+/g, "https://service.example"],
    ["127.0.0.1", "service.example"],
  ]);
  return new Map(
    [...story.told].map(([name, { request, response, events }]) => [name, { ...cut(stable.of({ request, response })), events }]),
  );
}

before(async () => {
  told = await tell();
  if (process.env.EXAMPLES === "write") writeFileSync(file, `${JSON.stringify(shown(), null, 1)}\n`);
});
after(async () => {
  await service?.close();
  await mail?.close();
  twilio?.close();
});

/** What is committed: in the order of their names. */
const shown = (): object =>
  Object.fromEntries(
    [...told].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { request, response }]) => [name, { request, response }]),
  );

describe("the examples", () => {
  test("are of every operation", () => {
    assert.deepEqual(
      operations.map(({ name }) => name).filter((name) => !told.has(name)),
      [],
      "tell of it in test/contract/examples/",
    );
    console.log(`${told.size} examples of ${operations.length} operations were run`);
  });

  test("that are committed ask and answer what a live service is asked and answers now", () => {
    const committed: Record<string, Told> = JSON.parse(readFileSync(file, "utf8"));
    const stale = [...told].flatMap(([name, { request, response }]) => {
      const known = committed[name];
      if (known === undefined) return [name];
      if (known.response.status !== response.status) return [`${name}: ${response.status}`];
      return differences({ request: known.request, response: known.response }, { request, response }).map((at) => `${name}${at}`);
    });

    assert.deepEqual(stale, [], "EXAMPLES=write npm test -- test/contract/examples.test.ts, and review what changed");
    assert.deepEqual(
      Object.keys(committed).filter((name) => !told.has(name)),
      [],
    );
  });

  test("leave events that the description of their operation names", () => {
    const unsaid: string[] = [];
    for (const operation of operations) {
      const named = eventsOf(operation);
      const others = told.get(operation.name)!.events.filter((event) => !named.some((one) => matchesEvent(one, event)));
      if (others.length > 0) unsaid.push(`${operation.name}: ${others.join(", ")}`);
    }
    assert.deepEqual(unsaid, [], "name them in src/http/events_left.ts");
  });
});
