// A group: members that are named together.
import { z } from "zod";
import { computed, input, naming, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

const member = z.object({ user_id: z.string() });

export const group = resource({
  name: "group",
  prefix: "group",
  doc: "Members that are named together, for filters, mentions and shared work.",
  cached: true,
  mcp: false,
  order: "name",
  sort: { name: true },
  elsewhere: { by: "name" },
  fields: {
    name: text({ required: true, doc: "Unique among the groups." }),
    user_ids: texts({ default: [] as string[], names: naming("user"), doc: "Who is in it." }),
    members: input(z.array(member).max(1000), {
      shown: computed(["user_ids"], z.array(member), (ids: string[]) => ids.map((user_id) => ({ user_id }))),
      doc: "The same as `user_ids`, as objects.",
    }),
  },
});
