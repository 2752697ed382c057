// /digests/{token}/: turns off mail with unread notifications, by a button on a page or by the mail program itself.
import { setDigests } from "../../auth/unscoped.ts";
import type { Core, Settings } from "../../core/core.ts";
import type { PublicAnswer, PublicRoute } from "../../records/public_route.ts";
import { plainPage } from "../shared/plain_page.ts";

/** The token is the person's sealed id, so nothing has to be stored for it and nobody else can make one. */
const place = { table: "user", column: "notification_settings", organization_id: "", id: "" };

export const digestsOffUrl = ({ base_url, secrets }: Pick<Settings, "base_url" | "secrets">, userId: string): string =>
  `${base_url}/digests/${secrets.seal(userId, place)}/`;

export const digestsOffPage: PublicRoute = {
  name: "digests.page",
  path: "/digests/{token}",
  doc: "Turns off mail about unread notifications, for whoever has the link of such a mail.",
  methods: ["GET", "POST"],
  group: "link",
  async run(core, { method, params }) {
    const userId = whoseLink(core, params.token!);
    if (userId === null) return unknown;
    if (method === "GET") return asking(core, params.token!);
    await setDigests(core.db, userId, false, core.clock());
    return off;
  },
};

function whoseLink({ settings }: Core, token: string): string | null {
  try {
    return settings.secrets.open(token, place);
  } catch {
    return null;
  }
}

const title = "Mail about unread notifications";

const asking = ({ settings }: Core, token: string): PublicAnswer => ({
  status: 200,
  content: plainPage({
    title,
    words: ["When notifications stay unread for ten minutes, you get a mail about them. Do you want to turn this mail off?"],
    form: { action: `${new URL(settings.base_url).pathname.replace(/\/$/, "")}/digests/${token}/`, button: "Turn it off" },
  }),
});

const off: PublicAnswer = {
  status: 200,
  content: plainPage({
    title,
    words: ["You will not get this mail any more. You can turn it on again in your settings (notification_settings of /me/)."],
  }),
};

const unknown: PublicAnswer = {
  status: 404,
  content: plainPage({ title, words: ["There is nothing at this address. Please check that the link is complete."] }),
};
