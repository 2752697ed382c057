// A group of members.
import { z } from "zod";
import { computed, input, naming, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

const member = z.object({ user_id: z.string() });

export const group = resource({
  name: "group",
  prefix: "group",
  doc: "A group of members, for filters, mentions and shared work.",
  cached: true,
  mcp: "read",
  order: "name",
  sort: { name: true },
  elsewhere: { by: "name" },
  fields: {
    name: text({ required: true, doc: "Unique among the groups." }),
    user_ids: texts({ default: [] as string[], names: naming("user"), doc: "Its members." }),
    members: input(z.array(member).max(1000), {
      shown: computed(["user_ids"], z.array(member), (ids: string[]) => ids.map((user_id) => ({ user_id }))),
      doc: "The same as `user_ids`, as objects.",
    }),
  },
});
