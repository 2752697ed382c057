import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { createFile, withBytes } from "./create_file.ts";
import { downloadFile } from "./download.ts";
import { file } from "./file.ts";
import { fileSubtype } from "./file_subtype.ts";
import { createFileSubtype, deleteFileSubtype } from "./file_subtype_verbs.ts";
import { deleteFile, updateFile } from "./file_verbs.ts";
import { resolveFile } from "./resolve.ts";

export { sharedFile } from "./share.ts";

export const files: Operation[] = [
  ...standard(file, { ...crud, create: createFile, update: updateFile, delete: deleteFile }, "member", { create: withBytes }),
  resolveFile,
  downloadFile,
  ...standard(
    fileSubtype,
    { ...crud, create: createFileSubtype, delete: deleteFileSubtype },
    { read: "member", write: "manage_customizations" },
  ),
];
