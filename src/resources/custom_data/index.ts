import type { Ctx } from "../../core/context.ts";
import { notFound } from "../../core/errors.ts";
import type { Given, Operation } from "../../core/operation.ts";
import { lockBehindAll } from "../../records/locks.ts";
import { crud, standard } from "../../records/standard.ts";
import { customActivityType } from "./custom_activity_type.ts";
import { customField } from "./custom_field.ts";
import { customFieldSchema } from "./custom_field_schema.ts";
import { createCustomField, deleteCustomField, updateCustomField } from "./custom_field_verbs.ts";
import { customObjectType } from "./custom_object_type.ts";
import { objectTypeNamed } from "./object_types.ts";
import { typeVerbs } from "./type_verbs.ts";

const writers = { read: "member", write: "manage_customizations" } as const;

const customFields = standard(
  customField,
  {
    ...crud,
    create: createCustomField,
    update: updateCustomField,
    delete: deleteCustomField,
    lock: lockBehindAll(customField),
  },
  writers,
  // Its values go with it, and nothing brings them back.
  { delete: { mcp: false } },
);

const types = [
  ...standard(customActivityType, { ...crud, ...typeVerbs(customActivityType, "activity") }, writers),
  ...standard(customObjectType, { ...crud, ...typeVerbs(customObjectType, "custom_object_type") }, writers),
];

export const customData: Operation[] = [...customFields.map(ofObjectType), customFieldSchema, ...types];

/** The path names a kind of record: lists and creates are for its fields, and ids of other fields are not found there. */
function ofObjectType(operation: Operation): Operation {
  return {
    ...operation,
    parse(ctx: Ctx, given: Given) {
      const { id, object_type: named } = given.params;
      const object_type = objectTypeNamed(named!);
      if (object_type === undefined) throw notFound();
      if (id !== undefined && ctx.directory.get(customField, id)?.object_type !== object_type) throw notFound();

      const { input, ignored } = operation.parse(ctx, given);
      if (operation.verb === "list") return { input: { ...input, query: { ...input.query, object_type } }, ignored };
      if (operation.verb === "create") return { input: { ...input, input: { ...input.input, object_type } }, ignored };
      return { input, ignored };
    },
  };
}
