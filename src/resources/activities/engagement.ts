// Who opened a mail and which links they followed. It is stored with the mail, and reported when it was a person.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { email } from "./email.ts";

type Email = Row<typeof email>;

export interface Engagement {
  kind: "open" | "click";
  at: string;
  /** The recipient whose copy it was. */
  address: string;
  url: string;
  ip_address: string;
  user_agent: string;
  is_machine: boolean;
}

/** Only the latest are kept. */
const most = 1000;

/** Stores engagements, in the order in which they happened. Each call writes one event for each recipient, kind and link. */
export function engaged(ctx: Ctx, before: Email, engagements: readonly Engagement[], tellsMachines: boolean): void {
  const [opens, clicks] = [
    engagements.filter(({ kind }) => kind === "open").map(asOpen),
    engagements.filter(({ kind }) => kind === "click").map(asClick),
  ];
  const after = store.update(ctx, email, before, {
    opens: [...before.opens, ...opens].slice(-most),
    clicks: [...before.clicks, ...clicks].slice(-most),
  });
  const told = engagements.filter(({ is_machine }) => tellsMachines || !is_machine);
  for (const same of alike(told)) {
    const { kind, address, url, is_machine } = same[0]!;
    const meta = { address, count: same.length, is_machine, ...(kind === "click" && { url }) };
    emit(ctx, email, { action: kind === "open" ? "opened" : "clicked", after, meta });
  }
}

const alike = (engagements: readonly Engagement[]): Engagement[][] => [
  ...Map.groupBy(engagements, ({ kind, address, url, is_machine }) => [kind, address, url, is_machine].join(" ")).values(),
];

const asOpen = ({ at, address, ip_address, user_agent, is_machine }: Engagement) => ({
  opened_at: at,
  ip_address,
  user_agent,
  opened_by: address,
  is_machine,
});

const asClick = ({ at, address, url, ip_address, user_agent, is_machine }: Engagement) => ({
  clicked_at: at,
  url,
  ip_address,
  user_agent,
  clicked_by: address,
  is_machine,
});
