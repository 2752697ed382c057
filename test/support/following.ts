// Members whose calendars are followed: an account at a provider, its calendars, and a clock to move from round to round.
import { type Calendars, type FakeCalendar, withCalendars } from "./calendars.ts";
import { connect, connecting, type ProviderName } from "./connecting.ts";
import type { Workspace } from "./given.ts";
import { type OauthServer, type Person, somebody } from "./oauth_provider.ts";
import type { Service } from "./service.ts";
import { withWorker } from "./worker.ts";

export const now = "2031-03-03T09:00:00.000Z";

let kept: Calendars | null = null;

/** The calendars of the provider, shared by all tests of a process. */
export const calendarsOf = (provider: OauthServer): Calendars => (kept ??= withCalendars(provider));

export interface Following {
  acme: Workspace;
  service: Service;
  provider: OauthServer;
  calendars: Calendars;
  person: Person;
  account: any;
  /** The main calendar. */
  calendar: FakeCalendar;
  /** Does everything that is due. */
  drained(): Promise<void>;
  /** Moves the clock by some minutes and syncs calendars again. */
  sync(minutes?: number): Promise<void>;
  /** Another member with their own account. */
  joinedBy(
    type: ProviderName,
    who?: Person,
  ): Promise<{ member: Workspace; calendar: FakeCalendar; person: Person; account: any }>;
}

/** An organization whose admin has connected an account. Its main calendar has been read. */
export async function following(type: ProviderName): Promise<Following> {
  const { acme, provider, service } = await connecting();
  const calendars = calendarsOf(provider);
  calendars.refuses = null;
  service.clock.now = new Date(now);
  const person = somebody();
  const drained = () => withWorker(service, (worker) => worker.drained());
  const connected = await connectCalendars(acme, provider, type, person);
  await drained();
  return {
    acme,
    service,
    provider,
    calendars,
    person,
    account: await acme.get(`/connected_account/${connected.id}/`),
    calendar: calendars.of(person.email)[0]!,
    drained,
    async sync(minutes = 7) {
      service.clock.now = new Date(service.clock.now!.getTime() + minutes * 60_000);
      await drained();
    },
    async joinedBy(other, who = somebody()) {
      const member = await acme.member();
      const account = await connectCalendars(member, provider, other, who);
      await drained();
      return { member, calendar: calendars.of(who.email)[0]!, person: who, account };
    },
  };
}

/** An account whose calendars are used, but not its mail. */
async function connectCalendars(ws: Workspace, provider: OauthServer, type: ProviderName, person: Person): Promise<any> {
  const { id } = await connect(ws, provider, type, person);
  return ws.put(`/connected_account/${id}/`, { enabled_features: ["calendar_syncing"] });
}

export const meetings = async (ws: Workspace): Promise<any[]> => (await ws.get("/activity/meeting/?_order_by=starts_at")).data;

/** A contact who can be a guest of events. */
export const customer = (ws: Workspace, email: string, body: object = {}): Promise<any> =>
  ws.contact({ name: "Carla Client", emails: [{ email }], ...body });
