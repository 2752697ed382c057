// Keeping bytes in any S3. The client is loaded when the first file is kept or read: without S3 nobody pays for it.
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { unavailable } from "../core/errors.ts";
import { Missing, type Shelf } from "./storage.ts";

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
      // The length is known, so it goes in one request and lies nowhere but in the temporary file.
      const send = () =>
        client.send(
          new sdk.PutObjectCommand({
            ...at(key),
            Body: createReadStream(received.path),
            ContentLength: received.size,
            ContentType: "application/octet-stream",
          }),
        );
      // A stream cannot be sent twice by the client; from its file it can.
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

async function openClient(place: S3Place): Promise<{ sdk: Sdk; client: S3Client }> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region: place.region,
    credentials: { accessKeyId: place.access_key_id, secretAccessKey: place.secret_access_key },
    forcePathStyle: place.force_path_style,
    ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
    // It would write to the console; what fails is thrown anyway.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    // Checksums in trailers are understood by AWS and few others.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { sdk, client };
}

function asUnavailable(cause: unknown): never {
  throw Object.assign(unavailable(), { cause });
}
