/**
 * The three ways to bring bytes: a file in a form, base64 in JSON, or an address to fetch. An operation that takes them declares
 * `upload: true` and calls `takeUpload` in its `prepare`, before its transaction begins.
 */
import { isUtf8 } from "node:buffer";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { type Upload, uploadBytesMax } from "../../core/operation.ts";
import { type Fetched, fetchPublic, NotFetched } from "../../services/fetch_public.ts";
import { pieces } from "../../services/pieces.ts";
import { type Received, TooLarge } from "../../services/storage.ts";
import { decodeBase64, NotBase64 } from "../../values/base64.ts";
import { readDisposition } from "../../values/content_disposition.ts";
import { essence } from "./media.ts";

/** What the caller's body says of the ways. */
export interface UploadInput {
  content_base64?: string | null;
  content_url?: string | null;
}

/** Bytes taken in, in a temporary file: whoever took them keeps or drops them. */
export interface TakenUpload {
  /** `file`, `content_base64` or `content_url`: what a refusal of these bytes names. */
  field: string;
  /** As the form, the answer or the address says; null where none does. */
  name: string | null;
  mime: string | null;
  received: Received;
}

/** The bytes of the one way that was used; null for none, where `optional` allows it. Refusals name the way. */
export async function takeUpload(
  ctx: Pick<Ctx, "settings">,
  input: UploadInput,
  upload: Upload | null,
  { optional = false } = {},
): Promise<TakenUpload | null> {
  const { content_base64, content_url } = input;
  const ways = [upload, content_base64, content_url].filter((way) => way !== null && way !== undefined);
  if (ways.length === 0 && optional) return null;
  if (ways.length !== 1) throw invalid({ file: "is required, or content_base64, or content_url: exactly one of them" });

  const taken = upload ?? (content_url != null ? await fetchUpload(ctx, content_url) : await decodeUpload(ctx, content_base64!));
  if (taken.received.size > 0) return taken;
  await taken.received.drop();
  throw invalid({ [taken.field]: "must not be empty" });
}

async function decodeUpload({ settings }: Pick<Ctx, "settings">, text: string): Promise<TakenUpload> {
  const field = "content_base64";
  const received = await settings.storage.receive(decodeBase64(text), uploadBytesMax).catch((error) => refuse(error, field));
  return { field, name: null, mime: null, received };
}

async function fetchUpload({ settings }: Pick<Ctx, "settings">, address: string): Promise<TakenUpload> {
  const field = "content_url";
  try {
    return await fetchPublic(settings.addresses, address, async (fetched: Fetched) => {
      const { contentType, contentLength, body } = fetched;
      if (contentLength !== null && contentLength > uploadBytesMax) throw new TooLarge();
      const received = await settings.storage.receive(pieces(body), uploadBytesMax);
      return { field, name: nameOf(fetched), mime: essence(contentType), received };
    });
  } catch (error) {
    return refuse(error, field);
  }
}

/** What went wrong with an upload, as the caller's mistake; what is none of theirs is thrown on. */
function refuse(error: unknown, field: string): never {
  if (error instanceof TooLarge) throw invalid({ [field]: `must be ${uploadBytesMax} bytes (20 MB) or fewer` });
  if (error instanceof NotBase64) throw invalid({ [field]: "is not base64" });
  // The same words whether it is private, unknown, down or answers an error.
  if (error instanceof NotFetched || isNetwork(error))
    throw invalid({ [field]: "could not be fetched; give a public http or https address that answers within 15 seconds" });
  throw error;
}

/** A connection that broke while the body came. */
const isNetwork = (error: unknown): boolean =>
  /^E(CONN|HOST|NET|PIPE|TIMEDOUT)|^ERR_STREAM_PREMATURE|^HPE_|^ABORT_ERR/.test(String((error as { code?: string }).code));

/** What the answer calls it, else the last part of its address. */
function nameOf({ url, contentDisposition }: Fetched): string | null {
  // node:http reads headers as Latin-1; what is sent as it is mostly is UTF-8.
  const header = Buffer.from(contentDisposition ?? "", "latin1");
  const { filename } = readDisposition(isUtf8(header) ? header.toString() : contentDisposition!);
  return filename || lastPart(url);
}

function lastPart(url: URL): string | null {
  const part = url.pathname.split("/").at(-1)!;
  if (part === "") return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
