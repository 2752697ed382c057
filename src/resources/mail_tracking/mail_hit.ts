// A hit: somebody opened a mail or followed a link. The row is only appended, and stored with the mail later, so that a thousand
// simultaneous opens do not wait for each other.
import type { MailRecipient } from "../../auth/unscoped.ts";
import type { Core } from "../../core/core.ts";
import { boolean, choice, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { asSystem } from "../../records/acting.ts";
import type { PublicRequest } from "../../records/public_route.ts";
import { store } from "../../records/store.ts";
import { oneLine } from "../../values/one_line.ts";
import { isByMachine } from "./machines.ts";

export const mailHit = resource({
  name: "mail_hit",
  prefix: "mhit",
  doc: "An open of a mail, or a click in it, that is not yet stored with the mail.",
  event: null,
  fields: {
    email_id: text({ required: true, readOnly: true, max: 64 }),
    kind: choice(["open", "click"], { required: true, readOnly: true }),
    address: text({ required: true, readOnly: true, max: 320 }),
    url: text({ readOnly: true, max: 2048, default: "" }),
    ip_address: text({ readOnly: true, max: 64, default: "", doc: "The address that the request came from." }),
    user_agent: text({ readOnly: true, default: "", doc: "The program that asked." }),
    is_machine: boolean({ readOnly: true, default: false }),
    at: timestamp({ required: true, readOnly: true }),
    moment: text({ required: true, readOnly: true, max: 64 }),
  },
});

/** A repetition by the same recipient within this time is the same hit. */
const onceMs = 10_000;

export const noteHit = (
  core: Core,
  { organization_id, email_id, address }: MailRecipient,
  request: PublicRequest,
  url = "",
): Promise<void> =>
  asSystem(core, organization_id, { id: request.requestId, method: "GET", path: url === "" ? "/o/" : "/c/" }, async (ctx) => {
    const agent = request.headers["user-agent"];
    const hit = {
      email_id,
      kind: url === "" ? ("open" as const) : ("click" as const),
      address,
      url,
      ip_address: request.ip.slice(0, 64),
      user_agent: oneLine(typeof agent === "string" ? agent : "", 255),
      is_machine: isByMachine(request),
      at: ctx.now.toISOString(),
      moment: String(Math.floor(ctx.now.getTime() / onceMs)),
    };
    store.insertOr(ctx, mailHit, [hit], "on conflict do nothing");
  });
