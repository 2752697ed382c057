import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { statuses } from "../core/errors.ts";
import { text } from "../core/field.ts";
import { operation } from "../core/operation.ts";
import { resource } from "../core/resource.ts";
import { crud, standard } from "../records/standard.ts";
import { buildDescription } from "./openapi.ts";
import { listen } from "./testing.ts";

const thing = resource({
  name: "thing",
  prefix: "thing",
  doc: "Something one may have.",
  event: null,
  fields: { name: text({ required: true, doc: "What it is called." }), note: text() },
});
const render = operation({
  name: "thing.render",
  method: "GET",
  path: "/thing/{id}/render/{format}/",
  doc: "Renders a thing for a reader.",
  permission: "calling",
  input: {
    id: z.string(),
    format: z.string(),
    lead_id: z.string().describe("For this lead."),
    mood: z.enum(["glad", "sad"]).optional(),
  },
  output: z.strictObject({ text: z.string() }),
  run: async () => ({ text: "" }),
});
const share = operation({
  name: "thing.share",
  method: "POST",
  path: "/thing/{id}/share/",
  doc: "Shares a thing.",
  permission: "manage_organization",
  status: 201,
  input: {
    id: z.string(),
    with: z.array(z.string()),
    when: z
      .string()
      .transform((value) => new Date(value))
      .optional(),
  },
  output: z.object({}),
  run: async () => ({}),
});
const operations = [share, ...standard(thing, crud, "member"), render];
const description = buildDescription(operations, { version: "1.2.3" }) as any;

test("the description is served without a key, as JSON", async (t) => {
  const { ask } = await listen(t, { operations: [share, render] });

  const answer = await ask("GET /api/v1/openapi.json", { key: null });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, JSON.parse(JSON.stringify(buildDescription([share, render], { version: "1.2.3" }))));
  assert.equal(answer.json.openapi, "3.1.0");
  assert.equal(answer.json.info.version, "1.2.3");
  assert.equal((await ask("POST /api/v1/openapi.json", { key: null })).status, 405);
});

test("a description that was made before is served as it is", async (t) => {
  const { ask } = await listen(t, { operations: [share], description: async () => '{"openapi":"3.1.0"}' });

  assert.equal((await ask("GET /api/v1/openapi.json", { key: null })).text, '{"openapi":"3.1.0"}');
});

test("the same operations give the same bytes, in whatever order they are declared", () => {
  const textOf = (given: typeof operations) => JSON.stringify(buildDescription(given, { version: "1.2.3" }));

  assert.equal(textOf(operations), textOf([...operations].reverse()));
});

test("every operation is there under its path and method, by its name", () => {
  const found = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, one]) => `${one.operationId} ${method.toUpperCase()} ${path}`),
  );

  assert.deepEqual(found.sort(), operations.map(({ name, method, path }) => `${name} ${method} ${path}`).sort());
  assert.deepEqual(description.servers, [{ url: "/api/v1" }]);
});

test("an operation says what it does, who may and how often", () => {
  const { get } = description.paths["/thing/{id}/render/{format}/"];

  assert.equal(get.summary, "Renders a thing for a reader.");
  assert.deepEqual(get.tags, ["thing"]);
  assert.equal(get["x-permission"], "calling");
  assert.equal(get["x-scope"], "read");
  assert.equal(get["x-rate-limit"], "read");
});

test("parameters of the path and the query are described, with what is required", () => {
  const { parameters } = description.paths["/thing/{id}/render/{format}/"].get;
  const named = (name: string) => parameters.find((one: any) => one.name === name);

  assert.deepEqual(named("format"), { name: "format", in: "path", required: true, schema: { type: "string" } });
  assert.equal(named("lead_id").required, true);
  assert.equal(named("lead_id").description, "For this lead.");
  assert.equal(named("mood").required, false);
  assert.deepEqual(named("mood").schema.enum, ["glad", "sad"]);
});

test("filters are not required, of a list or of anything else that takes them", async () => {
  const { operations: all } = await import("../resources/index.ts");
  const whole = buildDescription(all, { version: "1" }) as any;
  const shared = whole.components.parameters;
  const required: string[] = [];
  for (const [path, methods] of Object.entries<any>(whole.paths))
    for (const one of Object.values<any>(methods))
      for (const parameter of one.parameters) {
        const { name, in: place, required: is } = parameter.$ref ? shared[parameter.$ref.split("/").at(-1)] : parameter;
        if (place === "query" && is) required.push(`${path} ${name}`);
      }

  assert.deepEqual(required, [
    "/connected_account/authorize/ _type",
    "/custom_field_schema/ object_type",
    "/email_template/{id}/render/ lead_id",
    "/email_template/{id}/render/ contact_id",
  ]);
});

test("every GET takes `_fields`", () => {
  for (const methods of Object.values<any>(description.paths)) {
    if (methods.get === undefined) continue;
    const names = methods.get.parameters.map((one: any) => one.name ?? one.$ref.split("/").at(-1));
    assert.equal(names.filter((name: string) => name === "_fields").length, 1);
  }
});

test("a body is described as it is sent, an answer as it comes", () => {
  const { post } = description.paths["/thing/{id}/share/"];

  assert.equal(post.requestBody.required, true);
  const { schema } = post.requestBody.content["application/json"];
  assert.deepEqual(schema.properties.when, { type: "string" });
  assert.deepEqual(schema.required, ["with"]);
  assert.ok("201" in post.responses);
});

test("a resource is described once, and referred to by its verbs", () => {
  const reference = { $ref: "#/components/schemas/thing" };
  const shown = (path: string, method: string, status: number) =>
    description.paths[path][method].responses[status].content["application/json"].schema;

  assert.equal(description.components.schemas.thing.properties.name.description, "What it is called.");
  assert.deepEqual(shown("/thing/{id}/", "get", 200), reference);
  assert.deepEqual(shown("/thing/", "post", 201), reference);
  assert.deepEqual(shown("/thing/{id}/", "put", 200), reference);
  assert.deepEqual(shown("/thing/", "get", 200).properties.data.items, reference);
});

test("what three operations take alike is described once", () => {
  assert.ok("_fields" in description.components.parameters);
  assert.ok(description.paths["/thing/{id}/"].get.parameters.some((one: any) => one.$ref === "#/components/parameters/_fields"));
});

test("every refusal has its response, of one form", () => {
  const { responses } = description.components;

  assert.deepEqual(Object.keys(responses), Object.keys(statuses));
  for (const one of Object.values<any>(responses))
    assert.deepEqual(one.content["application/json"].schema, { $ref: "#/components/schemas/error" });
  assert.deepEqual(description.components.schemas.error.required, ["error", "field-errors"]);
  const { put } = description.paths["/thing/{id}/"];
  for (const status of [400, 401, 402, 403, 404, 405, 409, 412, 422, 429, 503])
    assert.ok(status in put.responses, String(status));
  assert.ok(!(412 in description.paths["/thing/"].post.responses));
});

test("every reference leads somewhere", () => {
  const references = [...JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);

  assert.ok(references.length > 10);
  for (const path of new Set(references)) {
    const found = path.split("/").reduce((node: any, key) => node?.[key], description);
    assert.notEqual(found, undefined, path);
  }
});

test("a key or a token opens everything", () => {
  const { securitySchemes } = description.components;

  assert.deepEqual(
    Object.values<any>(securitySchemes).map(({ type, scheme }) => [type, scheme]),
    [
      ["http", "basic"],
      ["http", "bearer"],
    ],
  );
  assert.deepEqual(description.security, [{ key: [] }, { token: [] }]);
});
