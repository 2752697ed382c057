// What leaves by an export, and comes in by an import.
import type { Workspace } from "./given.ts";
import { withWorker } from "./worker.ts";

const work = ({ service }: Workspace) => withWorker(service, (worker) => worker.drained());

/** The bytes of an export of leads, contacts or deals. */
export async function exported(ws: Workspace, body: object): Promise<Buffer> {
  const { id } = await ws.post("/export/lead/", body);
  await work(ws);
  const { download_url } = await ws.get(`/export/${id}/`);
  const file = await fetch(download_url.replace(/^.*(?=\/api\/)/, ws.service.url), {
    headers: { authorization: `Basic ${Buffer.from(`${ws.key}:`).toString("base64")}` },
  });
  return Buffer.from(await file.arrayBuffer());
}

/** A file that was imported by the mapping that is suggested. */
export async function imported(ws: Workspace, bytes: Buffer | string, object_type = "lead", options: object = {}): Promise<any> {
  const draft = await ws.post("/import/", { content_base64: Buffer.from(bytes).toString("base64"), object_type });
  const mapping = Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested]));
  await ws.put(`/import/${draft.id}/`, { mapping, options });
  await work(ws);
  return ws.get(`/import/${draft.id}/`);
}
