// `POST /change_set/{id}/undo/`: takes back what one request, one change set or one run of an automation changed.
import { z } from "zod";
import { write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { openTogether } from "../bulk_actions/together.ts";
import { isBegunWork } from "./begun_work.ts";
import { changesOf } from "./changes_of.ts";
import { pastsOf } from "./past.ts";
import { stayingOf } from "./staying.ts";
import { type Outcome, takeBack } from "./take_back.ts";

const shared = {
  object_type: z.string().describe("As its events name it."),
  object_id: z.string(),
};

export const undoChangeSet = operation({
  name: "change_set.undo",
  method: "POST",
  path: "/change_set/{id}/undo/",
  doc: "Takes back what a request, a change set or a run of an automation changed, as far as nobody has changed it since, for 30 days.",
  permission: "member",
  group: "bulk",
  scope: "write_destructive",
  input: {
    id: z
      .string()
      .max(100)
      .describe(
        "The `x-request-id` of a request, your name of a change set (`x-change-set`), or the id of a run. What others did is for admins.",
      ),
  },
  output: z.strictObject({
    change_set: z.string(),
    n_undone: z.int(),
    n_not_undone: z.int(),
    undone: z.array(
      z.strictObject({
        ...shared,
        action: z.enum(["deleted", "restored", "changed"]).describe("What the undo did to it."),
        fields: z.array(z.string()).describe("Of a changed record: the fields that are as before."),
      }),
    ),
    started: z
      .array(z.strictObject({ ...shared, n_records: z.int() }))
      .describe("Bulk actions and imports are taken back in the background: by these, and of how many records."),
    not_undone: z.array(z.strictObject({ ...shared, reason: z.string().describe("Why, in words.") })),
  }),
  async run(ctx, { id }) {
    // Of several at once, each sees what those before it did.
    write(ctx, {
      text: "select pg_advisory_xact_lock(hashtextextended('undo ' || $1, 0))",
      values: [ctx.organization_id],
      name: "change_set.lock",
    });
    const requests = await changesOf(ctx, id);
    ctx.meta.undoes = id;

    const together = openTogether(ctx);
    const outcome: Outcome = { started: [], undone: [], not_undone: [] };
    const asked = new Set(requests.flatMap(({ events: all }) => all.map(({ request_id }) => request_id)));
    const pasts = requests.map(({ events, removal }) => ({ pasts: pastsOf(ctx, events), removal }));
    const created = pasts.flatMap((one) => one.pasts.filter((past) => past.isCreated && !isBegunWork(past)));
    const staying = await stayingOf(ctx, created, asked);
    for (const request of pasts) await takeBack(ctx, request, staying, together, outcome);
    together.end();

    const { started, undone, not_undone } = outcome;
    if (started.length + undone.length + not_undone.length === 0) throw invalid({ id: "changed nothing that could be undone" });
    return { change_set: id, n_undone: undone.length, n_not_undone: not_undone.length, undone, started, not_undone };
  },
});
