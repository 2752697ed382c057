/* oxlint-disable unicorn/no-thenable -- `then` is the wire's word for what follows */
// Publishing and pausing: what was published never changes, and what could not run is refused with codes.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, newLead, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const call = chain(["task.create", { text: "Call" }]);
const versions = async (ws: Workspace, id: string) =>
  (await ws.get(`/automations/${id}/versions/`)).data.map((one: any) => [one.number, one.is_active, one.change_note]);

describe("publishing", () => {
  test("makes a version that stays as it is; later drafts are published by their revision", async () => {
    const acme = await organization();
    const made = await acme.post("/automations/", { name: "Greet", trigger: newLead, graph: call });
    const path = `/automations/${made.id}/`;

    const first = await acme.post(`${path}publish/`, { change_note: "Begin", if_revision: 1 });
    const again = await acme.post(`${path}publish/`, {});
    await acme.put(path, { graph: chain(["note.create", { note: "Hi" }]) });
    const refusal = await acme.refused(400, "POST", `${path}publish/`, { if_revision: 1 }, "if_revision");
    const second = await acme.post(`${path}publish/`, { if_revision: 2, note: "Write instead" });

    assert.deepEqual([first.status, first.active_version, first.has_unpublished_changes], ["active", 1, false]);
    assert.deepEqual([first.version.id, first.version.change_note], [first.active_version_id, "Begin"]);
    assert.deepEqual([again.active_version, again.version], [1, first.version]);
    assert.equal(refusal.errors[0].code, "draft_revision_conflict");
    assert.deepEqual([second.active_version, second.published.graph.steps.s1.type], [2, "note.create"]);
    assert.deepEqual(await versions(acme, made.id), [
      [2, true, "Write instead"],
      [1, false, "Begin"],
    ]);
    const events = (await acme.events(made.id)).map((one) => one.event);
    assert.deepEqual(events, ["automations.created", "automations.published", "automations.updated", "automations.published"]);
  });

  test("puts a paused automation in force again only where it could be published", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const made = await published(acme, chain(["owner.assign", { mode: "fixed", user_id: bob.userId }]));
    const path = `/automations/${made.id}/`;
    await acme.post(`${path}pause/`, {});
    const [membership] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
    await acme.delete(`/membership/${membership.id}/`);

    const { errors } = await acme.refused(400, "POST", `${path}publish/`, {});
    const still = await acme.get(path);
    await acme.put(path, { graph: chain(["owner.assign", { mode: "fixed", user_id: acme.userId }]) });

    assert.deepEqual(
      [errors.map((one: any) => [one.code, one.path]), still.status],
      [[["user_inactive", "graph.steps.s1.config.user_id"]], "paused"],
    );
    assert.equal((await acme.post(`${path}publish/`, {})).status, "active");
  });

  test("takes a step to which only a goal leads", async () => {
    const acme = await organization();
    const graph = chain(["wait.duration", { amount: 1, unit: "days" }], ["note.create", { note: "Nothing came of it" }]);
    graph.steps.thank = { type: "note.create", config: { note: "Thanks" }, ports: { out: null } };
    const goals = [{ id: "met", event: "activity.call.created", then: { goto: "thank" } }];

    const made = await published(acme, { ...graph, goals });

    assert.deepEqual([made.status, made.warnings], ["active", []]);
  });

  test("says of everything that stands in the way what it is, where, and how to mend it", async () => {
    const acme = await organization();
    const refuse = async (body: object, ...codes: [string, string][]) => {
      const made = await acme.post("/automations/", { name: "X", trigger: newLead, graph: call, ...body });
      const refusal = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
      assert.deepEqual(
        refusal.errors.map((one: any) => [one.code, one.path]),
        codes,
      );
      for (const { code, path, message, severity } of refusal.errors) {
        assert.equal(refusal["field-errors"][path], `${code}: ${message}`);
        assert.equal(severity, "error");
      }
      assert.equal((await acme.get(`/automations/${made.id}/`)).status, "draft");
      return refusal.errors[0];
    };
    const steps = (given: object, start: string | null = "s1") => ({ graph: { start, steps: given } });
    const note = (out: string | null) => ({ type: "note.create", config: { note: "x" }, ports: { out } });

    await refuse({ graph: undefined }, ["no_steps", "graph.steps"]);
    await refuse(steps({ s1: note(null) }, null), ["start_missing", "graph.start"]);
    await refuse(steps({ s1: note(null) }, "s2"), ["start_unknown", "graph.start"]);
    await refuse(steps({ s1: { ...note(null), ports: {} } }), ["port_missing", "graph.steps.s1.ports.out"]);
    await refuse(steps({ s1: note("s3") }), ["port_target_unknown", "graph.steps.s1.ports.out"]);
    const lost = await refuse(steps({ s1: note(null), s2: note(null) }), ["step_unreachable", "graph.steps.s2"]);
    assert.equal(lost.step_id, "s2");
    await refuse(steps({ s1: note("s2"), s2: note("s1") }), ["cycle_without_wait", "graph.steps.s1.ports"]);
    await refuse(chainOf(["note.create", {}]), ["config_required", "graph.steps.s1.config.note"]);
    await refuse(chainOf(["wait.duration", { amount: 1 }]), ["duration_invalid", "graph.steps.s1.config.unit"]);
    await refuse(chainOf(["record.update", { fields: { nmae: 1 } }]), ["field_unknown", "graph.steps.s1.config.fields.nmae"]);
    await refuse(chainOf(["status.set", { status_id: "stat_none" }]), ["status_not_found", "graph.steps.s1.config.status_id"]);
    const found = (given: object) => {
      const step = {
        type: "record.find",
        config: { object_type: "lead", limit: 1, where: { type: "match_all" }, ...given },
        ports: { found: null, empty: null },
      };
      return steps({ s1: step });
    };
    const at = "graph.steps.s1.config";
    const contains = { type: "field", ref: "record.name", op: "gt", value: 1 };
    await refuse(found({ where: { all: [contains] } }), ["operator_invalid_for_field", `${at}.where.all.0.op`]);
    await refuse(found({ where: { not: { ...contains, ref: "record.nmae" } } }), ["field_unknown", `${at}.where.not.ref`]);
    await refuse(found({ where: { type: "id" } }), ["config_invalid", `${at}.where.value`]);
    await refuse(found({ order: "colour" }), ["config_invalid", `${at}.order`]);
    await refuse({ filter: { all: [{ type: "field", ref: "record.name", op: "gt", value: 1 }] } }, [
      "operator_invalid_for_field",
      "filter.all.0.op",
    ]);
  });
});

test("only an admin lets an automation delete with all rights; with the rights of a member, it may do what they may", async () => {
  const acme = await organization();
  const bob = await acme.member("superuser");
  const graph = chain(["record.delete", { target: { $ref: "record" } }]);
  const made = await bob.post("/automations/", { name: "X", trigger: newLead, graph });
  const path = `/automations/${made.id}/`;

  const { errors } = await bob.refused(400, "POST", `${path}publish/`, {});
  const limited = await bob.put(path, { settings: { run_as_user_id: bob.userId } });

  assert.deepEqual([errors[0].code, errors[0].path], ["destructive_requires_admin", "graph.steps.s1.type"]);
  assert.equal((await bob.post(`${path}publish/`, { if_revision: limited.draft.revision })).status, "active");
  await acme.put(path, { settings: { run_as_user_id: null } });
  assert.equal((await acme.post(`${path}publish/`, {})).status, "active");
});

const chainOf = (...steps: Parameters<typeof chain>) => ({ graph: chain(...steps) });

test("pausing is for what was published; publishing again goes on with the same version", async () => {
  const acme = await organization();
  const draft = await acme.post("/automations/", { name: "X", trigger: newLead, graph: call });
  const made = await published(acme, call);
  const path = `/automations/${made.id}/`;

  await acme.refused(400, "POST", `/automations/${draft.id}/pause/`, {}, "status");
  const paused = await acme.post(`${path}pause/`, {});
  const still = await acme.post(`${path}pause/`, { in_flight: "finish" });
  const active = await acme.post(`${path}publish/`, {});

  assert.deepEqual([paused.status, still.version], ["paused", paused.version]);
  assert.deepEqual([active.status, active.active_version], ["active", 1]);
  await acme.refused(400, "POST", `${path}pause/`, { in_flight: "forget" }, "in_flight");
  const bob = await acme.member();
  await bob.refused(403, "POST", `${path}publish/`, {});
  await bob.refused(403, "POST", `${path}pause/`, {});
  await acme.refused(404, "POST", "/automations/autm_none/publish/", {});
});
