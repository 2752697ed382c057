// Sequences for tests: an organization whose admin has a mailbox, contacts who are subscribed, and a clock that is moved on.
import { organization, type Workspace } from "./given.ts";
import { outboundService } from "./outbound.ts";
import type { Service } from "./service.ts";
import { type MailServer, startMailServer } from "./smtp.ts";
import { withWorker } from "./worker.ts";

let server: MailServer | null = null;
let on: Service | null = null;

/** Before the tests of a file, which close the server after them. */
export async function openOutreach(): Promise<{ server: MailServer; on: Service }> {
  weeks = 0;
  server = await startMailServer();
  on = await outboundService();
  return { server, on };
}

let weeks = 0;
/** A Thursday at ten, some weeks after that of the test before. */
export const anotherThursday = () => {
  on!.clock.now = new Date(Date.UTC(2031, 0, 2 + 7 * 8 * weeks++, 10));
};

export const hour = 3_600_000;
export const day = 24 * hour;
export const office = { ranges: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" })) };

let count = 0;
export const address = (name = "ann") => `${name}-${process.pid}-${++count}@client.example`;
export const run = (ms = 0) => {
  on!.clock.now = new Date(on!.clock.now!.getTime() + ms);
  return withWorker(on!, (worker) => worker.drained());
};
export const at = (iso: string) => {
  on!.clock.now = new Date(iso);
  return run();
};

export interface Outreach {
  acme: Workspace;
  account: any;
  mail(step?: object): object;
  sequence(steps: object[], body?: object): Promise<any>;
  subscribe(sequence: any, body?: object): Promise<any>;
  shown(way: any): Promise<any>;
}

/** An organization whose admin has a mailbox, with templates. */
export async function outreach(account: object = {}): Promise<Outreach> {
  const acme = await organization(on!);
  const box = await acme.post("/connected_account/", { email: `ada-${++count}@acme.example`, smtp: server!.smtp, ...account });
  const hello = await acme.post("/email_template/", {
    name: "Hello",
    is_shared: true,
    subject: "Hello {{ contact.first_name }}",
    body: "<p>Dear {{ contact.first_name }} of {{ lead.name }}, {{ user.first_name }} here.</p>",
  });
  return {
    acme,
    account: box,
    mail: (step = {}) => ({ step_type: "email", email_template_id: hello.id, ...step }),
    sequence: (steps, body = {}) => acme.post("/sequence/", { name: "Outreach", timezone: "UTC", steps, ...body }),
    async subscribe(sequence, { email = address(), name = "Ann Lee", ...body }: any = {}) {
      const contact = await acme.contact({ name, emails: [{ email }], lead_id: (await acme.lead({ name: "Client" })).id });
      const way = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id, ...body });
      return { ...way, email };
    },
    shown: ({ id }) => acme.get(`/sequence_subscription/${id}/`),
  };
}

export const eventsOf = async (acme: Workspace, { id }: any): Promise<string[]> =>
  (await acme.events(id)).map((one: any) => one.event.replace("sequence_subscription.", ""));
