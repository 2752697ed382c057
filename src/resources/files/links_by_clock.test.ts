// A link to a file may expire, and leads nowhere from then on, whatever happens to the file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const until = "2031-05-06T10:00:00.000Z";

const uploaded = (ws: Workspace, body: object = {}) =>
  ws.post("/file/", { name: "hello.txt", content_base64: "SGVsbG8=", share_expires_at: until, ...body });

const opened = async (ws: Workspace, link: string): Promise<number> =>
  (await fetch(link.replace(/^.*(?=\/f\/)/, ws.service.url))).status;

const secrets = async (ws: Workspace): Promise<number> => {
  const [row] = await ws.service.app.db.query(ws.id, {
    text: "select count(share_hash) + count(share_token) from file where organization_id = $1",
    values: [ws.id],
  });
  return Number(row![0]);
};

test("a link leads to its file until its time, and nowhere from then on, though nobody has looked", async () => {
  const acme = await organization();
  const made = await uploaded(acme);
  const { clock } = acme.service;
  const shown = async () => {
    const { share_url, share_url_base64 } = await acme.get(`/file/${made.id}/`);
    return [await opened(acme, made.share_url), share_url, share_url_base64];
  };

  await atMoment(acme.service, "2031-05-06T09:59:59.999Z", "share_links");
  const before = [await shown(), await secrets(acme)];
  clock.now = new Date(until);
  const read = [await shown(), await secrets(acme)];
  await atMoment(acme.service, until, "share_links");

  assert.deepEqual(before, [[200, made.share_url, made.share_url_base64], 2]);
  assert.deepEqual(read, [[404, null, null], 2]);
  assert.deepEqual([await shown(), await secrets(acme)], [[404, null, null], 0]);
  assert.deepEqual((await acme.events(made.id)).length, 1);
  assert.equal((await acme.get(`/file/${made.id}/`)).share_expires_at, until);
});

test("a later time makes another link, before and after the old one was forgotten, and the old one stays dead", async () => {
  const acme = await organization();
  const [one, other] = [await uploaded(acme), await uploaded(acme)];
  acme.service.clock.now = new Date(until);

  const soon = await acme.put(`/file/${one.id}/`, { share_expires_at: "2031-06-01T00:00:00.000Z" });
  await atMoment(acme.service, "2031-05-06T11:00:00.000Z", "share_links");
  const later = await acme.put(`/file/${other.id}/`, { share_expires_at: null });
  await atMoment(acme.service, "2031-05-06T12:00:00.000Z", "share_links");

  assert.deepEqual(await Promise.all([soon, later].map((each) => opened(acme, each.share_url))), [200, 200]);
  assert.deepEqual(await Promise.all([one, other].map((each) => opened(acme, each.share_url))), [404, 404]);
  assert.equal(await secrets(acme), 4);
});

test("a time that is moved before it has come keeps the link, and one of the past ends it at once", async () => {
  const acme = await organization();
  const made = await uploaded(acme);
  const forever = await uploaded(acme, { share_expires_at: null });

  const moved = await acme.put(`/file/${made.id}/`, { share_expires_at: "2031-06-01T00:00:00.000Z" });
  await atMoment(acme.service, "2031-05-07T00:00:00.000Z", "share_links");
  const kept = await opened(acme, made.share_url);
  const ended = await acme.put(`/file/${made.id}/`, { share_expires_at: "2031-05-06T00:00:00.000Z" });

  assert.deepEqual([moved.share_url, kept, ended.share_url], [made.share_url, 200, null]);
  assert.deepEqual([await opened(acme, made.share_url), await opened(acme, forever.share_url)], [404, 200]);
  await acme.refused(400, "PUT", `/file/${made.id}/`, { share_expires_at: "soon" }, "share_expires_at");
});
