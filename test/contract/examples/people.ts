// The organization itself: its members, roles, keys, settings, and the definitions that its records are made of.
import type { Workspace } from "../../support/given.ts";
import type { Story } from "./story.ts";

export interface People {
  bob: Workspace;
  partner: Workspace;
}

export async function people(story: Story): Promise<People> {
  const { ws } = story;
  await story.show("me.update", "/me/", { first_name: "Lucille", last_name: "Austero", timezone: "America/Los_Angeles" });
  await story.show("me.get", "/me/");
  await story.show("organization.update", `/organization/${ws.id}/`, { name: "Austero Homes", currency: "USD" });
  await story.show("organization.get", `/organization/${ws.id}/`);
  const query = { mail_days: "730", recording_days: "90" };
  await story.show("organization.retention", `/organization/${ws.id}/retention/`, undefined, { query });
  const partner = await secondOrganization(story);
  const bob = await ws.member();
  await bob.put("/me/", { first_name: "Bob", last_name: "Loblaw" });
  await members(story, bob);
  await keys(story);
  await definitions(story);
  return { bob, partner };
}

async function secondOrganization(story: Story): Promise<Workspace> {
  const { ws } = story;
  await story.show("organization.create", "/organization/", { name: "Austero Rentals", currency: "USD" });
  const closing = await ws.another();
  await story.show("organization.delete", `/organization/${closing.id}/`, undefined, { as: closing });
  return ws.another();
}

async function members(story: Story, bob: Workspace): Promise<void> {
  const { ws } = story;
  const role = await story.five(
    "role",
    "/role/",
    { name: "Field sales", permissions: ["calling", "export"] },
    { change: { permissions: ["calling", "export", "bulk_email"] }, spare: { name: "Interns" } },
  );
  await story.five(
    "group",
    "/group/",
    { name: "West coast", user_ids: [ws.userId, bob.userId] },
    { change: { name: "California" }, spare: { name: "East coast" } },
  );
  await story.five(
    "membership",
    "/membership/",
    { email: "maeby@austero.example", role_id: role.id },
    { change: { auto_record_calls: "disabled" }, spare: { email: "kitty@austero.example" } },
  );
  await story.five("send_as", "/send_as/", { allowed_user_id: bob.userId }, {});
  const [allowed] = (await ws.get("/send_as/")).data;
  await story.show("send_as.delete", `/send_as/${allowed.id}/`);
  await story.show("user.list", "/user/", undefined, { query: { _limit: "2" } });
  await story.show("user.get", `/user/${bob.userId}/`);
  await story.show("user.set_availability", "/user/availability/", { availability: "online" });
  await story.show("user.availability", "/user/availability/");
}

async function keys(story: Story): Promise<void> {
  const { ws } = story;
  const key = await story.five("api_key", "/api_key/", { name: "Warehouse sync" }, { spare: { name: "Old script" } });
  const budget = await story.show("budget.create", "/budget/", { holder_id: key.id, writes_per_hour: 500, messages_per_day: 50 });
  await story.show("budget.list", "/budget/");
  await story.show("budget.get", `/budget/${budget.id}/`);
  await story.show("budget.update", `/budget/${budget.id}/`, { writes_per_hour: 1000 });
  await story.show("budget.use", `/budget/${budget.id}/use/`);
  const other = await ws.post("/api_key/", { name: "Trial" });
  const spare = await ws.post("/budget/", { holder_id: other.id, writes_per_hour: 10 });
  await story.show("budget.delete", `/budget/${spare.id}/`);
  const app = { name: "Route planner", redirect_uris: ["https://planner.example/callback"] };
  await story.five("oauth_app", "/oauth_app/", app, { spare: { name: "Old planner" } });
}

async function definitions(story: Story): Promise<void> {
  const { ws } = story;
  await story.five(
    "lead_status",
    "/status/lead/",
    { label: "On hold" },
    { change: { color: "#d97706" }, spare: { label: "Lost touch" } },
  );
  await story.five(
    "opportunity_status",
    "/status/opportunity/",
    { label: "Site visit", type: "active" },
    { change: { label: "Site visit planned" }, spare: { label: "Second visit" } },
  );
  await story.five(
    "pipeline",
    "/pipeline/",
    { name: "Renovations", statuses: [{ label: "Estimate" }, { label: "Signed", type: "won" }] },
    { change: { name: "Renovation" }, spare: { name: "Resale" } },
  );
  await story.five(
    "custom_field",
    "/custom_field/lead/",
    { name: "Region", type: "choices", choices: ["West", "East"] },
    { change: { choices: ["West", "East", "South"] }, spare: { name: "Fax" } },
  );
  await story.show("custom_field_schema.get", "/custom_field_schema/", undefined, { query: { object_type: "lead" } });
  await story.five(
    "custom_activity_type",
    "/custom_activity/",
    { name: "Site visit", fields: [{ name: "Outcome", type: "choices", choices: ["Interested", "Not now"] }] },
    { change: { description: "Somebody came to see a model home." }, spare: { name: "Open house", fields: [] } },
  );
  await story.five(
    "custom_object_type",
    "/custom_object_type/",
    { name: "Property", name_plural: "Properties", fields: [{ name: "Square feet", type: "number" }] },
    { change: { description: "A lot or a house." }, spare: { name: "Permit", name_plural: "Permits", fields: [] } },
  );
  await story.five(
    "product",
    "/product/",
    { name: "Model home", unit_price: 24900000 },
    { change: { unit_price: 25900000 }, spare: { name: "Shed" } },
  );
  await story.five(
    "file_subtype",
    "/file_subtype/",
    { label: "Floor plan" },
    { change: { label: "Floor plans" }, spare: { label: "Deed" } },
  );
  await story.five("goal", "/goal/", { period: "2026-05", target: 120000000 });
  const other = await ws.post("/goal/", { period: "2026-06", target: 90000000 });
  await story.show("goal.delete", `/goal/${other.id}/`);
}
