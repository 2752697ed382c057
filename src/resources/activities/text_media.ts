// Media of a received text are stored at the provider, behind the organization's credentials. They are fetched outside of any
// transaction and become files of the lead, which replace the links in the text. A link that cannot be fetched stays.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Resource } from "../../core/resource.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { fileBytesMax, TooLarge } from "../../services/storage.ts";
import { messageChanged } from "../conversations/keep_up.ts";
import { linkOf } from "../files/file.ts";
import { insertFile } from "../files/store_file.ts";
import { type KeptBytes, keepBytes } from "../files/stored_bytes.ts";
import { type Connected, connectedProvider } from "../telephony/provider.ts";
import type { Attachment } from "./attachments.ts";
import type { Text } from "./carried.ts";
import { channelMessage } from "./channel_message.ts";
import { sms } from "./sms.ts";
import { lockText } from "./texts_out.ts";

/** The name for code that wakes it. */
export const textMediaJobs = { kind: "text_media" } as const;

export const textMediaWork: Work = {
  ...textMediaJobs,
  doc: "Fetches the media of received texts.",
  slots: 4,
  run: fetchMedia,
  async giveUp() {},
};

/** After this many failures in a row, it is given up. */
const triesMost = 8;

async function fetchMedia(core: Core, job: Job): Promise<void> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [found, connected] = await Promise.all([findText(ctx, job.object_id), connectedProvider(ctx)]);
  const { kept, failure } = await keepAll(ctx, connected, found?.text.attachments ?? []);
  const isOver = failure === null || job.failures >= triesMost;
  await asSystem(core, job.organization_id, requestOf(job), async (inside) => {
    const text = found === null ? null : await lockText(inside, found.of, job.object_id);
    await holdClaim(inside, job);
    if (found !== null && text !== null) await putInPlace(inside, found.of, text, kept);
    if (isOver) release(inside, job, null);
  });
  if (!isOver) throw failure;
}

async function findText(ctx: Ctx, id: string): Promise<{ of: Resource; text: Text } | null> {
  for (const kind of [sms, channelMessage] as Resource[]) {
    const text = (await findRecord(ctx, kind, id)) as Text | null;
    if (text !== null) return { of: kind, text };
  }
  return null;
}

interface Fetched {
  /** By the address at the provider. */
  kept: Map<string, KeptBytes>;
  /** Why some of it has to be retried. */
  failure: Error | null;
}

async function keepAll(ctx: Ctx, connected: Connected | null, attachments: readonly Attachment[]): Promise<Fetched> {
  const kept = new Map<string, KeptBytes>();
  let failure: Error | null = null;
  const urls = attachments.flatMap(({ file_id, url }) => (file_id === null && url !== null ? [url] : []));
  const ours = urls.filter((url) => connected?.provider.hasMedia(url));
  const fetched = await Promise.allSettled(ours.map((url) => keep(ctx, connected!, url)));
  fetched.forEach((one, i) => {
    if (one.status === "fulfilled") kept.set(ours[i]!, one.value);
    else if (!(one.reason instanceof TooLarge)) failure = one.reason;
  });
  return { kept, failure };
}

/** A turn has half a minute. */
const limitMs = 20_000;

async function keep(ctx: Ctx, { provider }: Connected, url: string): Promise<KeptBytes> {
  const { storage } = ctx.settings;
  const take = async (chunks: AsyncIterable<Uint8Array>, type: string | null) => ({
    type,
    received: await storage.receive(chunks, fileBytesMax),
  });
  const { received, type } = await provider.fetchMedia(url, take, limitMs);
  try {
    return await keepBytes(ctx, received, [type]);
  } finally {
    await received.drop();
  }
}

async function putInPlace(ctx: Ctx, of: Resource, text: Text, kept: Map<string, KeptBytes>): Promise<void> {
  const attachments: Attachment[] = [];
  for (const one of text.attachments as Attachment[]) {
    const bytes = kept.get(one.url ?? "");
    attachments.push(bytes === undefined ? one : { ...one, ...(await asFile(ctx, text, bytes)) });
  }
  await messageChanged(ctx, of, text, store.update(ctx, of, text, { attachments }));
}

async function asFile(ctx: Ctx, { lead_id, contact_id }: Text, kept: KeptBytes): Promise<Partial<Attachment>> {
  const extension = kept.mime
    .split("/")
    .at(-1)!
    .replace(/^x-|[^a-z0-9]/g, "");
  const { id, name, mime, size, ...link } = await insertFile(ctx, kept, { name: `attachment.${extension}`, lead_id, contact_id });
  return { url: linkOf(ctx, { name, ...link }), filename: name, content_type: mime, size, file_id: id };
}
