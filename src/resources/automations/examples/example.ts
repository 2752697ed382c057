// What the catalogs' examples look like. Each entry that is available has one, by its type, in one of the files of this folder.
import assert from "node:assert/strict";
import type { Workspace } from "../../../../test/support/given.ts";

/** A step, run once for a lead with an `mrr` of 10. Waits of up to ten hours go by. */
export interface StepExample {
  graph(acme: Workspace, lead: any): Promise<any> | any;
  /** What it did. */
  check(acme: Workspace, lead: any, run: any): Promise<void> | void;
}

/** A condition that holds when the industry of a lead becomes Software, and one that does not. */
export type ConditionExample = (acme: Workspace, ids: { lead: any }) => Promise<[object, object]> | [object, object];

export interface TriggerExample {
  config: object | ((acme: Workspace) => Promise<object>);
  /** Makes it start, and returns the id of the record. Before it comes what must not start it. */
  act(acme: Workspace, made: any): Promise<string>;
}

export const leadOf = async (acme: Workspace, { id }: any) => acme.get(`/lead/${id}/`);

export const tag = (name: string) => ({ type: "tag.change", config: { tag: name, change: "add" }, ports: { out: null } });

export const hasTag =
  (...tags: string[]): StepExample["check"] =>
  async (acme, lead) =>
    assert.deepEqual((await leadOf(acme, lead)).tags, tags);

export const always = { type: "field", ref: "record.name", op: "exists" };
