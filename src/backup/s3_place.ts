// Backups in a bucket. An archive is written to the disk first, since it is sent in parts that may have to be sent again.
import { createReadStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { openClient, type S3Place } from "../services/s3.ts";
import { isName, type Place } from "./place.ts";

/** An object may have 10,000 parts, so this one may have 312 GB. */
const partBytes = 32 * 1024 * 1024;

export async function bucketPlace({ s3, prefix }: { s3: S3Place; prefix: string }, scratch: string): Promise<Place> {
  const { client } = await openClient(s3);
  const at = (name: string) => ({ Bucket: s3.bucket, Key: `${prefix}${name}` });
  return {
    said: `s3://${s3.bucket}/${prefix}`,
    async list() {
      const names: string[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket: s3.bucket, Prefix: prefix }))
        names.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(prefix.length)));
      return names.filter(isName).sort();
    },
    async add(name, write) {
      await rm(scratch, { recursive: true, force: true });
      await mkdir(scratch, { recursive: true });
      const path = join(scratch, name);
      try {
        await write(path);
        await new Upload({
          client,
          params: { ...at(name), Body: createReadStream(path), ContentType: "application/x-tar" },
          partSize: partBytes,
          queueSize: 1,
        }).done();
        return (await stat(path)).size;
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
    read: async (name) => (await client.send(new GetObjectCommand(at(name)))).Body as Readable,
    async remove(name) {
      await client.send(new DeleteObjectCommand(at(name)));
    },
  };
}
