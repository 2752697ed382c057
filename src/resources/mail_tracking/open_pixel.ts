// /o/{token}.gif: the picture that a mail program loads when a mail is opened.
import { Content } from "../../core/operation.ts";
import type { PublicRoute } from "../../records/public_route.ts";
import { noteHit } from "./mail_hit.ts";
import { recipientBehind } from "./recipients.ts";

export const openPixel: PublicRoute = {
  name: "mail.open",
  path: "/o/{token}",
  doc: "The picture in a mail that records opens.",
  methods: ["GET"],
  group: "link",
  async run(core, request) {
    const recipient = await recipientBehind(core, request.params.token!.replace(/\.gif$/, ""));
    if (recipient !== null) await noteHit(core, recipient, request);
    return { status: recipient === null ? 404 : 200, content };
  },
};

/** One transparent pixel. */
const dot = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const content = new Content("image/gif", dot, {
  "cache-control": "private, no-store, max-age=0",
  "content-length": String(dot.length),
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
});
