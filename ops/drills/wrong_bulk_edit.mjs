#!/usr/bin/env node
// What has happened: somebody, or an agent, has changed very many records in a way that nobody wanted.
// What this does:
//   wrong_bulk_edit.mjs find              lists the bulk actions of the last 30 days and what else changed most records of late
//   wrong_bulk_edit.mjs undo ID           takes one of them back, waits until that is done, and says what was not undone, and why
//   wrong_bulk_edit.mjs put_back FIELD    after 30 days: compares a field of all leads with a copy of the workspace of before, which
//                                         workspace_beside.sh puts in, and with APPLY=yes writes the values of then back
// Needs: URL, where the service listens (http://127.0.0.1:4000), and API_KEY, a key of an admin of the workspace. put_back also needs
//   COPY_KEY, the key of the copy, and WRONG, the value that the edit has written: leads with another one are left alone.
// It worked when `undo` ends with how many are undone, and everything that is not undone is named; `put_back` likewise.
const { URL: place = "http://127.0.0.1:4000", API_KEY, COPY_KEY, WRONG, APPLY } = process.env;
const [what, id] = process.argv.slice(2);

async function ask(method, path, { key = API_KEY, body, headers = {} } = {}) {
  const response = await fetch(`${place}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const commands = { find, undo, put_back: putBack };

try {
  if (!API_KEY) throw new Error("Set API_KEY: a key of an admin of the workspace.");
  if (!Object.hasOwn(commands, what ?? "")) throw new Error("Say find, undo ID, or put_back FIELD.");
  if (what !== "find" && !id) throw new Error(what === "undo" ? "Say what: find lists it." : "Say which field.");
  await commands[what](id);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function find() {
  console.log("Bulk actions, the newest first:");
  for (const one of (await ask("GET", "/bulk_action/?_limit=50")).data)
    console.log(
      `  ${one.id}  ${one.date_created}  by ${one.created_by_name ?? "nobody"}  ${one.kind} ${one.type ?? ""}  ${one.n_succeeded} records  ${one.undo.available ? `to be undone until ${one.undo.until}` : "not to be undone"}`,
    );
  console.log("Requests that changed most records, among the latest 500 events:");
  const requests = new Map();
  for await (const event of pages("/event/?_limit=100", 500)) {
    const known = requests.get(event.request_id) ?? { event, count: 0 };
    requests.set(event.request_id, { ...known, count: known.count + 1 });
  }
  for (const [request, { event, count }] of [...requests].sort(([, a], [, b]) => b.count - a.count).slice(0, 10))
    console.log(`  ${request}  ${event.date_created}  ${count} events, such as ${event.event} of ${event.object_id}`);
  console.log("Take one back: wrong_bulk_edit.mjs undo ID");
}

async function undo(id) {
  if (id.startsWith("bulk_")) return undoBulk(id);
  const { undone, not_undone, started } = await ask("POST", `/change_set/${encodeURIComponent(id)}/undo/`);
  for (const { object_type, object_id, reason } of not_undone) console.log(`not undone: ${object_type} ${object_id}: ${reason}`);
  for (const one of started) console.log(`goes on in the background: ${JSON.stringify(one)}`);
  console.log(`${undone.length} undone, ${not_undone.length} not.`);
}

async function undoBulk(id) {
  let { id: undoing } = await ask("POST", `/bulk_action/${id}/undo/`);
  for (;;) {
    const done = await ask("GET", `/bulk_action/${undoing}/`);
    if (["error", "canceled"].includes(done.status)) throw new Error(`The undo ended as ${done.status}: ${done.error}`);
    if (done.status !== "done") {
      await new Promise((resolve) => setTimeout(resolve, 500));
      continue;
    }
    for (const status of ["skipped", "failed"])
      for await (const one of pages(`/bulk_action/${undoing}/items/?status=${status}&_limit=100`))
        console.log(`not undone: ${one.object_id}: ${one.error ?? "it is not there any more"}`);
    return console.log(`${done.n_succeeded} undone, ${done.n_skipped + done.n_failed} not.`);
  }
}

/** An id of the copy has other last digits. */
function common(leadId) {
  return leadId.slice(0, 19);
}

async function putBack(field) {
  if (!COPY_KEY) throw new Error("Set COPY_KEY: the key of the copy, which workspace_beside.sh printed.");
  if (WRONG === undefined) throw new Error("Set WRONG: the value that the edit has written.");
  const path = `/lead/?_fields=id,name,${encodeURIComponent(field)}&_limit=100`;
  const before = new Map();
  for await (const lead of pages(path, Infinity, COPY_KEY)) before.set(common(lead.id), lead[field] ?? null);
  let [count, left] = [0, 0];
  for await (const lead of pages(path)) {
    const was = before.get(common(lead.id));
    if (was === undefined || was === (lead[field] ?? null)) continue;
    if (String(lead[field] ?? "") !== WRONG) {
      left++;
      console.log(`left alone: ${lead.id} ${lead.name}: ${lead[field]} by now, ${was} then`);
      continue;
    }
    count++;
    console.log(`${lead.id} ${lead.name}: ${lead[field]} -> ${was}`);
    if (APPLY === "yes")
      await ask("PUT", `/lead/${lead.id}/`, { body: { [field]: was }, headers: { "x-change-set": `put-back-${field}` } });
  }
  console.log(`${count} ${APPLY === "yes" ? "put back" : "would be put back with APPLY=yes"}, ${left} left alone.`);
}

async function* pages(path, most = Infinity, key = API_KEY) {
  let [cursor, count] = ["", 0];
  do {
    const page = await ask("GET", `${path}${cursor && `&_cursor=${encodeURIComponent(cursor)}`}`, { key });
    for (const one of page.data) if (count++ < most) yield one;
    cursor = page.cursor_next ?? "";
  } while (cursor !== "" && count < most);
}
