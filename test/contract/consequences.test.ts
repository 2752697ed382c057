// What a record may do by itself once it is written: be sent, or act. Each kind says so in its definition, and what bounds agents looks
// there, so that no operation is forgotten that writes it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Field } from "../../src/core/field.ts";
import type { Resource } from "../../src/core/resource.ts";
import { stepTypes } from "../../src/resources/automations/step_types.ts";
import { operations } from "../../src/resources/index.ts";
import { agentOf } from "../support/agent.ts";
import { organization } from "../support/given.ts";
import { collectionPath, minimalBody } from "../support/samples.ts";

const resources = [...new Set(operations.flatMap(({ resource }) => resource ?? []))];
const inForce = /^(active|outbox|scheduled|queued|running|sending|in_progress|live|published|enabled)$/;

/** Fields that a caller sets, and the values by which a record would act or leave. */
const telling = (of: Resource): [string, unknown][] =>
  (of.columns as [string, Field][]).flatMap(([key, { mode, type, choices }]): [string, unknown][] => {
    if (mode === "read") return [];
    if (type === "boolean") return /^(is_)?(active|enabled)$/.test(key) ? [[key, true]] : [];
    return (choices ?? []).filter((value) => inForce.test(value)).map((value) => [key, value]);
  });

/** What sounds as if it acted, and why it does not. */
const harmless = new Map([
  ["lead_status.type", "is a kind of status"],
  ["opportunity_status.type", "is a kind of status"],
  ["product.is_active", "is offered for new items"],
  ["project_task.status", "is work of a person"],
  ["activity_custom_activity.status", "is seen by members"],
  ["sms_template.status", "is offered to members"],
  ["dialer.status", "calls only while a member is on the line"],
  ["membership.auto_record_calls", "agents have no memberships"],
  ["webhook.status", "agents have no webhooks"],
]);

test("every kind of record that can be in force, or be sent, says when; or why that does nothing by itself is said here", () => {
  const silent = resources.filter(({ acts, sendsTo }) => acts === undefined && sendsTo === undefined);
  const places = silent.flatMap((of) => [...new Set(telling(of).map(([key]) => `${of.name}.${key}`))]);

  assert.deepEqual(places.toSorted(), [...harmless.keys()].toSorted());
});

const typeOf = (path: string): string => path.replace(/\{[^}]+\}\//g, "").slice(1, -1);

describe("a tool without the widest scope makes none that acts by itself or goes to somebody it added:", () => {
  for (const of of resources.filter(({ acts, sendsTo }) => acts !== undefined || sendsTo !== undefined)) {
    const verbs = new Map(operations.filter(({ resource, mcp }) => resource === of && mcp).map((one) => [one.verb, one]));
    const [create, update] = [verbs.get("create"), verbs.get("update")];
    if (create === undefined) continue;
    test(of.name, async () => {
      const acme = await organization();
      const agent = await agentOf(acme, { scope: "write_safe" });
      await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } });
      const own = await acme.post("/phone_number/", { number: "+12125550101" });
      const added = await agent.call("create_record", {
        object_type: "contact",
        data: { name: "Spy", emails: [{ email: "spy@evil.example" }], phones: [{ phone: "+12125550123", type: "mobile" }] },
      });
      const { id: contact_id, lead_id } = added.structuredContent.record;
      const has = (key: string) => key in of.fields;
      const about = {
        ...(has("contact_id") && { contact_id }),
        ...(has("lead_id") && of.fields.lead_id.mode !== "read" && { lead_id }),
        ...(has("to") && { to: ["spy@evil.example"], subject: "Hi", body_text: "Hi" }),
        ...(has("local_phone") && { local_phone: own.number, remote_phone: "+12125550123", text: "Hi" }),
      };
      assert.equal(await collectionPath(acme, of), create.path);

      let tried = 0;
      for (const [key, value] of telling(of)) {
        const more = value === "scheduled" ? { date_scheduled: "2040-01-01T10:00:00.000Z" } : {};
        const body: Record<string, unknown> = { ...(await minimalBody(acme, of)), ...about };
        // What begins in force is refused without being asked for it, too.
        delete body[key];
        const made = await agent.call("create_record", {
          object_type: typeOf(create.path),
          data: { ...body, ...more, [key]: value },
        });
        if (made.structuredContent["field-errors"]?.[key] === undefined) {
          tried += 1;
          const { record } = made.structuredContent;
          const isDraft = record !== undefined && !of.acts?.while(record) && !of.sendsTo?.(record);
          assert.ok(
            isDraft || /acts by itself|was nobody's here/.test(JSON.stringify(made.structuredContent)),
            `${key} ${value}`,
          );
        }
        const off = typeof value === "boolean" ? false : "draft";
        const draft = await agent.call("create_record", { object_type: typeOf(create.path), data: { ...body, [key]: off } });
        if (draft.isError === true || update === undefined) continue;
        const { id } = draft.structuredContent.record;
        const changed = await agent.call("update_record", {
          object_type: typeOf(create.path),
          id,
          data: { ...more, [key]: value },
        });
        assert.equal(changed.isError, true, `${key} becomes ${value}`);
      }

      assert.ok(tried > 0, "nothing was tried");
    });
  }
});

/** What agents cannot do, and connections by OAuth can by REST: it is over when they end, or is refused by its body. */
const endsWithThem = new Map([
  ["me.update", "is the person's name and settings"],
  ["user.set_availability", "says whether somebody is there"],
  ["membership.create", "is refused in its function"],
  ["membership.update", "is refused where it changes a role, or lets automations act as somebody"],
  ["role.create", "is refused in its function"],
  ["role.update", "is refused in its function"],
  ["group.create", "puts members together who are members already"],
  ["group.update", "does too"],
  ["api_key.create", "is refused in its function"],
  ["organization.create", "is refused in its function"],
  ["organization.update", "is refused where it changes what agents may do"],
  ["contact.erase", "destroys what is known of a person, and gives nobody anything"],
  ["phone_number.create", "is refused where calls would go on elsewhere"],
  ["phone_number.update", "is, too"],
  ["port.close", "ends what a person began"],
  ["webhook.redeliver", "sends where a person wanted it"],
  ["webhook.test", "does too"],
  ["credentials.sync", "reads the lists of a service that a person connected"],
  ["contact_list.copy_from_named_source", "does too"],
  ["mailing_export.create", "sends once, to a service that a person connected"],
  ["budget.create", "bounds others; who is bounded may not"],
  ["budget.update", "does too"],
]);

test("what agents have no operation for says that it outlasts connections, or why it does not is said here", () => {
  const isWrite = ({ method }: { method: string }) => method === "POST" || method === "PUT";
  const silent = operations.filter((one) => !one.mcp && isWrite(one) && one.outlasts !== true).map(({ name }) => name);

  assert.deepEqual(silent, [...endsWithThem.keys()]);
});

test("every step of automations that speaks to people or other services, or deletes, says so", () => {
  const outside = stepTypes.filter(({ side_effect, outside: asks }) => side_effect === "at_most_once" || asks !== undefined);
  const silent = outside.filter(({ speaks }) => speaks !== true).map(({ type }) => type);

  // The model that an admin connected is asked, and does nothing.
  assert.deepEqual(silent, ["ai.generate", "ai.classify", "ai.extract"]);
});
