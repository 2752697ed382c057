// Fetches what a link leads to and stores its bytes. A mail that goes to many has one link in all of them, and whoever has the file is asked
// for it once in a while and not for every mail: the next ones get the bytes that were stored for the last one.
import type { Ctx } from "../../core/context.ts";
import { Missing, type Storage } from "../../services/storage.ts";
import type { Attachment } from "../activities/attachments.ts";
import { essence } from "../files/media.ts";
import { type KeptBytes, keepBytes } from "../files/stored_bytes.ts";
import { fetchFile, type TakenUpload } from "../files/upload.ts";

type Fetched = Omit<TakenUpload, "field">;

/** Where the bytes of an address are, and what its server said of them. */
interface Known extends Pick<Fetched, "name" | "mime"> {
  storage_key: string;
  at: number;
}

/** Whoever changes the file sees the change in what leaves a minute later. */
const keptMs = 60_000;
/** How many files a process remembers. */
const most = 200;

const lately = new WeakMap<Storage, Map<string, Known>>();

/** Throws `TooLarge`, or what `wasNotFetched` tells. */
export async function keepFetched(
  ctx: Ctx,
  { url, content_type, filename }: Attachment,
  bytesMax: number,
  wholeMs: number,
): Promise<{ kept: KeptBytes; name: string }> {
  const { storage } = ctx.settings;
  const known = lately.get(storage) ?? new Map<string, Known>();
  lately.set(storage, known);
  const key = `${ctx.organization_id} ${url}`;

  const again = await storedLately(ctx, known.get(key), bytesMax);
  const { received, name, mime } = again ?? (await fetchFile(ctx, url!, bytesMax, wholeMs));
  try {
    const kept = await keepBytes(ctx, received, [essence(content_type), mime]);
    if (again === null) {
      known.delete(key);
      known.set(key, { storage_key: kept.storage_key, name, mime, at: ctx.now.getTime() });
      if (known.size > most) known.delete(known.keys().next().value!);
    }
    return { kept, name: filename ?? name ?? "attachment" };
  } finally {
    await received.drop();
  }
}

/** Null where it has to be fetched, as when the mail that it was stored for is gone with it. */
async function storedLately({ settings, now }: Ctx, known: Known | undefined, bytesMax: number): Promise<Fetched | null> {
  if (known === undefined || known.at <= now.getTime() - keptMs) return null;
  try {
    const received = await settings.storage.receive(await settings.storage.read(known.storage_key), bytesMax);
    return { received, name: known.name, mime: known.mime };
  } catch (error) {
    if (error instanceof Missing) return null;
    throw error;
  }
}
