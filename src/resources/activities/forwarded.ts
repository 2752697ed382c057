// Marks an e-mail that inbox rules forwarded: it says so on its way, and answers to it go to whoever wrote the message.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { email } from "./email.ts";
import type { Person } from "./recipients.ts";

/** `by` are the rules, and `from` says whose message it was. */
export function markForwarded(
  ctx: Ctx,
  made: Row<typeof email>,
  { by, from, author }: { by: string[]; from: string; author: Person | null },
): void {
  const marked = { reply_to: author === null ? [] : [author], forwarded: { by, from } };
  store.update(ctx, email, made, { envelope: { ...made.envelope!, ...marked } });
}
