// A role: a set of permissions with a name.

import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { choice, computed, text, texts } from "../../core/field.ts";
import { builtInRoles, permissions } from "../../core/permissions.ts";
import { resource } from "../../core/resource.ts";
import { notAmong } from "../../values/reasons.ts";

export const isBuiltIn = (roleId: string): boolean => Object.hasOwn(builtInRoles, roleId);

export const role = resource({
  name: "role",
  prefix: "role",
  doc: "A set of permissions for members. `admin`, `superuser`, `user` and `restricteduser` are in every organization and cannot be changed.",
  cached: true,
  mcp: false,
  narrows: true,
  order: "name",
  sort: { name: true },
  fields: {
    name: text({ required: true, doc: "Unique among the roles." }),
    permissions: texts({ default: [] as string[], normalize: knownPermissions, doc: `Any of ${permissions.join(", ")}.` }),
    editable: computed(["id"], z.boolean(), (id) => !isBuiltIn(id), "Whether it may be changed: built-in roles may not."),
    visibility_user_lcf_ids: texts({
      default: [] as string[],
      max: 20,
      doc: "Custom fields of leads with type user. Without `view_all_leads` a member sees their own leads, and the leads where one of these fields names them.",
    }),
    visibility_user_lcf_behavior: choice(["require_assignment", "allow_unassigned"], {
      default: "require_assignment",
      doc: "Whether leads without an owner and without a member in these fields are visible too.",
    }),
  },
});

/** In the order of the catalog, each once. */
function knownPermissions(given: string[]): string[] {
  given.forEach((name, i) => {
    if (!(permissions as readonly string[]).includes(name)) throw invalid({ [i]: notAmong(name, permissions) });
  });
  return permissions.filter((name) => given.includes(name));
}
