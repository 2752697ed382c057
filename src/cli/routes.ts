// `headwater routes`: lists all operations of the service, one per line.
import type { Operation } from "../core/operation.ts";
import { operations } from "../resources/index.ts";
import { columns, say } from "./say.ts";

export async function run(): Promise<void> {
  const byPath = (a: Operation, b: Operation) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : methods.indexOf(a.method) - methods.indexOf(b.method);
  say(
    columns([...operations].sort(byPath).map(({ method, path, permission, doc }) => [method, `/api/v1${path}`, permission, doc])),
  );
}

const methods = ["GET", "POST", "PUT", "DELETE"];
