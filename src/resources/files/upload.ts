/**
 * The three ways to upload bytes: a file in a form, base64 in JSON, or a URL to fetch. An operation that takes them declares
 * its limit as `upload` and calls `takeUpload` in its `prepare`, before its transaction starts.
 */
import { isUtf8 } from "node:buffer";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Upload } from "../../core/operation.ts";
import { type Fetched, fetchPublic, NotFetched } from "../../services/fetch_public.ts";
import { pieces } from "../../services/pieces.ts";
import { fileBytesMax, fileTooLarge, type Received, TooLarge } from "../../services/storage.ts";
import { decodeBase64, NotBase64 } from "../../values/base64.ts";
import { readDisposition } from "../../values/content_disposition.ts";
import { essence } from "./media.ts";

/** The members of a body for the three ways. */
export interface UploadInput {
  content_base64?: string | null;
  content_url?: string | null;
}

/** Received bytes in a temporary file. The caller stores or drops them. */
export interface TakenUpload {
  /** `file`, `content_base64` or `content_url`: the name for errors about these bytes. */
  field: string;
  /** The name that the form, the response or the URL gives. Null when none does. */
  name: string | null;
  mime: string | null;
  received: Received;
}

/** Receives the bytes of the one way that was used. Null for none, where `optional` allows it. Errors name the way. */
export async function takeUpload(
  ctx: Pick<Ctx, "settings" | "asker" | "request" | "meta">,
  input: UploadInput,
  upload: Upload | null,
  { optional = false, bytesMax = fileBytesMax, wholeMs }: { optional?: boolean; bytesMax?: number; wholeMs?: number } = {},
): Promise<TakenUpload | null> {
  const { content_base64, content_url } = input;
  const ways = [upload, content_base64, content_url].filter((way) => way !== null && way !== undefined);
  if (ways.length === 0 && optional) return null;
  // An address that an agent makes up may carry out what it has read.
  if (content_url != null && ctx.request.byTool === true)
    throw invalid({ content_url: "is not fetched for tools: send the bytes as content_base64" });
  if (content_url != null && ctx.meta.dry_run === true)
    throw invalid({ content_url: "is not fetched by a dry run, as nothing leaves then: try it with content_base64" });
  if (ways.length !== 1) throw invalid({ file: "is required, or content_base64, or content_url: give exactly one of them" });

  const taken =
    upload ??
    (content_url != null
      ? await fetchUpload(ctx, content_url, bytesMax, wholeMs)
      : await decodeUpload(ctx, content_base64!, bytesMax));
  if (taken.received.size > 0) return taken;
  await taken.received.drop();
  throw invalid({ [taken.field]: "must not be empty" });
}

async function decodeUpload({ settings }: Pick<Ctx, "settings">, text: string, bytesMax: number): Promise<TakenUpload> {
  const field = "content_base64";
  const received = await settings.storage.receive(decodeBase64(text), bytesMax).catch((error) => refuse(error, field, bytesMax));
  return { field, name: null, mime: null, received };
}

async function fetchUpload(
  { settings, asker }: Pick<Ctx, "settings" | "asker">,
  address: string,
  bytesMax: number,
  wholeMs?: number,
): Promise<TakenUpload> {
  const field = "content_url";
  return fetchFile({ settings, asker }, address, bytesMax, wholeMs).then(
    (fetched) => ({ field, ...fetched }),
    (error) => refuse(error, field, bytesMax),
  );
}

/** Fetches a file from an address that somebody chose. Throws `TooLarge`, or what `wasNotFetched` tells. */
export async function fetchFile(
  { settings, asker }: Pick<Ctx, "settings" | "asker">,
  address: string,
  bytesMax: number,
  wholeMs?: number,
): Promise<Omit<TakenUpload, "field">> {
  const take = async (fetched: Fetched) => {
    const { contentType, contentLength, body } = fetched;
    if (contentLength !== null && contentLength > bytesMax) throw new TooLarge();
    const received = await settings.storage.receive(pieces(body), bytesMax);
    return { name: nameOf(fetched), mime: essence(contentType), received };
  };
  return fetchPublic(settings.addresses, address, take, asker, wholeMs === undefined ? {} : { wholeMs });
}

/** There is no such file, or it cannot be had now. */
export const wasNotFetched = (error: unknown): boolean => error instanceof NotFetched || isNetwork(error);

/** Turns an error of an upload into the caller's mistake. Other errors are thrown on. */
function refuse(error: unknown, field: string, bytesMax: number): never {
  if (error instanceof TooLarge) throw invalid({ [field]: fileTooLarge(bytesMax) });
  if (error instanceof NotBase64) throw invalid({ [field]: "is not base64" });
  // The same words whether the host is private, unknown, down or responds with an error.
  if (wasNotFetched(error))
    throw invalid({ [field]: "could not be fetched; give a public http or https address that answers within 15 seconds" });
  throw error;
}

/** The connection broke during the body. */
const isNetwork = (error: unknown): boolean =>
  /^E(CONN|HOST|NET|PIPE|TIMEDOUT)|^ERR_STREAM_PREMATURE|^HPE_|^ABORT_ERR/.test(String((error as { code?: string }).code));

/** The name in the response's header, or else the last part of the URL. */
function nameOf({ url, contentDisposition }: Fetched): string | null {
  // node:http decodes headers as Latin-1, but most names are sent as UTF-8.
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
