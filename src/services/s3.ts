// Stores bytes in any S3. The client is loaded with the first file, so that a service without S3 does not pay for it.
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { unavailable } from "../core/errors.ts";
import { Missing, type Shelf, storageFull } from "./storage.ts";

export interface S3Place {
  endpoint: string | null;
  region: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
  force_path_style: boolean;
}

type Sdk = typeof import("@aws-sdk/client-s3");

export function s3Shelf(place: S3Place): Shelf {
  let opened: Promise<{ sdk: Sdk; client: S3Client }> | null = null;
  const open = () => (opened ??= openClient(place));
  const at = (key: string) => ({ Bucket: place.bucket, Key: key });

  return {
    async keep(received, key) {
      const { sdk, client } = await open();
      // The length is known, so the file is sent in one request and is stored nowhere else but in the temporary file.
      const send = () =>
        client.send(
          new sdk.PutObjectCommand({
            ...at(key),
            Body: createReadStream(received.path),
            ContentLength: received.size,
            ContentType: "application/octet-stream",
          }),
        );
      // The client cannot send a stream twice. A retry reads the file again.
      await send().catch(send).catch(asUnavailable);
      await rm(received.path, { force: true });
    },
    async read(key, range) {
      const { sdk, client } = await open();
      const Range = range && `bytes=${range.start}-${range.end}`;
      const answer = await client.send(new sdk.GetObjectCommand({ ...at(key), Range })).catch((error) => {
        if (error.$metadata?.httpStatusCode === 404) throw new Missing(key);
        return asUnavailable(error);
      });
      return answer.Body as Readable;
    },
    async remove(key) {
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand(at(key)));
    },
  };
}

export async function openClient(place: S3Place): Promise<{ sdk: Sdk; client: S3Client }> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region: place.region,
    credentials: { accessKeyId: place.access_key_id, secretAccessKey: place.secret_access_key },
    forcePathStyle: place.force_path_style,
    ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
    // The client would log to the console. Errors are thrown anyway.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    // Only AWS and a few others support checksums in trailers.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { sdk, client };
}

function asUnavailable(cause: unknown): never {
  // Of the servers that can be full, MinIO and others say so by this status.
  const isFull = (cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 507;
  throw isFull ? storageFull(cause) : Object.assign(unavailable(), { cause });
}
