// Reads bodies that carry a file, while they come in. Only a piece of the file is in memory at a time, and the sender waits for
// the disk.
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { invalid } from "../core/errors.ts";
import type { Upload } from "../core/operation.ts";
import { pieces } from "../services/pieces.ts";
import { fileTooLarge, type Storage, TooLarge } from "../services/storage.ts";
import { Base64Decoder, NotBase64 } from "../values/base64.ts";
import { isStorable, parseBody, unstorable } from "./body.ts";
import { JsonWithText } from "./json_with_text.ts";
import { boundaryOf, type Part, readParts, unreadableForm } from "./multipart.ts";

export interface TakenBody {
  body: Record<string, unknown>;
  /** Null if the body carries no file; it may hold an address to fetch one from. */
  upload: Upload | null;
}

/** All of a body but the file. */
const restBytesMax = 1024 * 1024;

/** `bytesMax` is the most that the file may have. */
export const readUpload = (request: FastifyRequest, storage: Storage, bytesMax: number): Promise<TakenBody> =>
  readBody(request, { storage, bytesMax })
    .catch((error) => {
      // The sender has gone: nobody reads the answer, and it is not our failure.
      throw error.code === "ERR_STREAM_PREMATURE_CLOSE" ? invalid({}, "The body ended before it was complete.") : error;
    })
    // What was not read is discarded, so that the connection is free for the next request.
    .finally(() => request.raw.resume());

/** Where the file goes, and how large it may be. */
interface Place {
  storage: Storage;
  bytesMax: number;
}

async function readBody(request: FastifyRequest, place: Place): Promise<TakenBody> {
  const { "content-encoding": encoding, "content-type": type } = request.headers;
  if (encoding !== undefined && encoding !== "identity")
    throw invalid({ "Content-Encoding": "is not supported; send the body uncompressed" });
  if (type !== undefined && /^multipart\/form-data\b/i.test(type)) return readForm(request, place);
  if (type === undefined || /^application\/json\s*(;|$)/i.test(type)) return readJson(request.raw, place);
  // A body of another type is refused, unless there is nothing in it.
  for await (const _ of pieces(request.raw)) throw invalid({}, "Request body must be JSON or multipart/form-data.");
  return { body: {}, upload: null };
}

/** Receives bytes. A refusal names the field that held them. */
async function receive({ storage, bytesMax }: Place, chunks: AsyncIterable<Uint8Array>, field: string) {
  return storage.receive(chunks, bytesMax).catch((error) => {
    if (error instanceof TooLarge) throw invalid({ [field]: fileTooLarge(bytesMax) });
    throw error instanceof NotBase64 ? invalid({ [field]: "is not base64" }) : error;
  });
}

// --- JSON ---

const base64Field = "content_base64";

/** The text of `content_base64` goes to the storage as it arrives; the rest is ordinary JSON. */
async function readJson(raw: IncomingMessage, place: Place): Promise<TakenBody> {
  const json = new JsonWithText(base64Field, restBytesMax);
  const received = await receive(place, decoded(pieces(raw), json), base64Field);
  try {
    const body = parseBody(json.rest());
    if (!json.found) {
      await received.drop();
      return { body, upload: null };
    }
    const { [base64Field]: _, ...rest } = body;
    return { body: rest, upload: { field: base64Field, name: null, mime: null, received } };
  } catch (error) {
    await received.drop();
    throw error;
  }
}

async function* decoded(chunks: AsyncIterable<Buffer>, json: JsonWithText): AsyncGenerator<Buffer> {
  const decoder = new Base64Decoder();
  for await (const chunk of chunks) {
    for (const text of json.write(chunk)) yield decoder.write(text);
  }
  yield decoder.end();
}

// --- forms ---

const fileField = "file";
const partsMax = 100;

/** The part `file` goes to the storage as it arrives; the other parts are text fields. */
async function readForm(request: FastifyRequest, place: Place): Promise<TakenBody> {
  const boundary = boundaryOf(request.headers["content-type"]!);
  if (boundary === null) throw unreadableForm();
  const taken: TakenBody = { body: {}, upload: null };
  let parts = 0;
  let bytes = 0;
  try {
    for await (const part of readParts(pieces(request.raw), boundary)) {
      if (++parts > partsMax) throw invalid({}, `A form may have ${partsMax} parts.`);
      if (part.filename !== null || part.name === fileField) taken.upload = await takeFile(place, part, taken.upload);
      else bytes += await readField(part, taken.body, restBytesMax - bytes);
    }
    return taken;
  } catch (error) {
    await taken.upload?.received.drop();
    throw error;
  }
}

async function takeFile(place: Place, part: Part, before: Upload | null): Promise<Upload> {
  if (part.name !== fileField) throw invalid({ [part.name]: "is not accepted as a file; send the file as `file`" });
  if (before !== null) throw invalid({ [fileField]: "is given twice" });
  const received = await receive(place, part.content, fileField);
  return { field: fileField, name: part.filename || null, mime: part.type, received };
}

/** Returns how many bytes it has. */
async function readField(part: Part, body: Record<string, unknown>, max: number): Promise<number> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const piece of part.content) {
    bytes += piece.length;
    if (bytes > max) throw invalid({ [part.name.slice(0, 255)]: `must be ${restBytesMax} bytes or fewer` });
    chunks.push(Buffer.from(piece));
  }
  const all = Buffer.concat(chunks);
  const text = all.toString("utf8");
  if (!isUtf8(all) || !isStorable(text) || !isStorable(part.name)) throw invalid({ [part.name]: unstorable });
  // Any name becomes a field, even `__proto__`.
  Object.defineProperty(body, part.name, { value: text, enumerable: true, configurable: true, writable: true });
  return bytes;
}
