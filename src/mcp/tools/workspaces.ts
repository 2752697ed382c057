// `list_workspaces` and `switch_workspace`: where a connection acts.
import { z } from "zod";
import { notAllowedHere } from "../refusal.ts";
import { dataResult } from "../shape.ts";
import { tool } from "../tool.ts";

export const listWorkspaces = tool({
  name: "list_workspaces",
  doc: "The workspaces that you may act in; the active one is flagged. An API key knows only its own.",
  scope: "read",
  isOfWorkspaces: true,
  input: {},
  output: { workspaces: z.array(z.object({ id: z.string(), name: z.string(), is_active: z.boolean() })) },
  async run(call) {
    const workspaces = (await call.workspaces()).map(({ id, name, is_active }) => ({ id, name, is_active }));
    const lines = workspaces.map(({ id, name, is_active }) => `${id} | ${name}${is_active ? " | active" : ""}`);
    return dataResult({ workspaces }, lines.join("\n"));
  },
});

export const switchWorkspace = tool({
  name: "switch_workspace",
  doc: "Makes another workspace the active one of this connection, until it is switched again. For a single call pass `workspace` instead. Not for API keys.",
  scope: "read",
  isOfWorkspaces: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: { to: z.string().describe("Its id or exact name.") },
  output: { id: z.string(), name: z.string() },
  async run(call, { to }) {
    if (call.actor.oauth === undefined)
      throw notAllowedHere("An API key acts in one workspace only: use a key of the other one.");
    const { id, name, enter } = await call.workspaceNamed(to);
    if (!(await enter())) throw notAllowedHere("You are no longer a member of that workspace.");
    return dataResult({ id, name }, `${id} | ${name}`, "Active now. ");
  },
});
