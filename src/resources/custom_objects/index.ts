import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { customObject } from "./custom_object.ts";
import { createCustomObject, deleteCustomObject, updateCustomObject } from "./custom_object_verbs.ts";

export const customObjects: Operation[] = standard(
  customObject,
  {
    ...crud,
    create: createCustomObject,
    update: updateCustomObject,
    delete: deleteCustomObject,
  },
  "member",
);
