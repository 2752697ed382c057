// /c/{token}/{hash}/: a link in a mail. It redirects to the address in the mail, and nowhere else.
import { Content } from "../../core/operation.ts";
import { readingAs, systemActor } from "../../records/acting.ts";
import type { PublicAnswer, PublicRoute } from "../../records/public_route.ts";
import { plainPage, plainPageHeaders } from "../shared/plain_page.ts";
import { noteHit } from "./mail_hit.ts";
import { recipientBehind } from "./recipients.ts";
import { targetOf } from "./tracked_links.ts";

export const clickedLink: PublicRoute = {
  name: "mail.click",
  path: "/c/{token}/{hash}",
  doc: "A link in a mail: leads on to where it goes.",
  methods: ["GET"],
  group: "link",
  async run(core, request) {
    const { token, hash } = request.params;
    const recipient = await recipientBehind(core, token!);
    if (recipient === null) return unknown;
    const occasion = { id: request.requestId, method: "GET", path: "/c/" };
    const url = await targetOf(await readingAs(core, systemActor(recipient.organization_id), occasion), hash!);
    if (url === null) return unknown;
    await noteHit(core, recipient, request, url);
    return leadOn(url);
  },
};

const leadOn = (url: string): PublicAnswer => ({
  status: 302,
  content: new Content("text/plain; charset=utf-8", "", { ...plainPageHeaders, location: url }),
});

const unknown: PublicAnswer = {
  status: 404,
  content: plainPage({
    title: "No such link",
    words: ["There is nothing at this address. Please check that the link is complete."],
  }),
};
