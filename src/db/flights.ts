// Group commit for inserts. A request that only inserts needs no connection while its statements are collected. If it comes alone
// it is sent at once. Requests that come while it is under way wait, and are then sent as one transaction with one statement for
// each table. If that fails, each is done by itself and gets its own answer.
import type { Asker, Rows, Statement, Transaction } from "./database.ts";
import { isLate, isLost } from "./wire.ts";

type Work<T> = (tx: Transaction) => Promise<T>;
type Transact = <T>(organizationId: string, work: Work<T>, asker: Asker | null) => Promise<T>;

/** How many requests leave together at most. When so many wait, they leave without waiting longer. */
const seats = 8;
/** How long a request waits for those before it, which may themselves wait for a lock. */
const waitMs = 20;
/** How long a group waits for a lock that one of its requests needs. */
const patience: Statement = { text: "set local lock_timeout = 100", values: [], name: "flight.patience" };

interface Passenger {
  statements: readonly Statement[];
  asker: Asker | null;
  arrive(): void;
  fail(error: unknown): void;
}

interface Lane {
  underWay: number;
  waiting: Passenger[];
  clock: NodeJS.Timeout | null;
}

/** Wraps `transaction`, so that transactions that only insert leave together. */
export function openFlights(transaction: Transact): Transact {
  const lanes = new Map<string, Lane>();

  const send = (organizationId: string, statements: readonly Statement[], asker: Asker | null) =>
    transaction(organizationId, async (tx) => statements.forEach((one) => tx.write(one)), asker);

  async function fly(organizationId: string, passengers: readonly Passenger[]): Promise<void> {
    const alone = ({ statements, asker, arrive, fail }: Passenger) => send(organizationId, statements, asker).then(arrive, fail);
    if (passengers.length === 1) return alone(passengers[0]!);
    const inserts = passengers[0]!.statements.map((_, i) => joined(passengers.map(({ statements }) => statements[i]!)));
    try {
      await send(organizationId, [patience, ...inserts], together(passengers));
    } catch (error) {
      // Nobody knows whether a transaction whose connection was lost has committed, so it is not repeated.
      if (isLost(error) && !isLate(error)) for (const { fail } of passengers) fail(error);
      else await Promise.all(passengers.map(alone));
      return;
    }
    for (const { arrive } of passengers) arrive();
  }

  function depart(key: string, lane: Lane, organizationId: string): void {
    if (lane.clock !== null) clearTimeout(lane.clock);
    lane.clock = null;
    lane.underWay++;
    void fly(organizationId, lane.waiting.splice(0, seats)).then(() => {
      lane.underWay--;
      if (lane.waiting.length > 0) depart(key, lane, organizationId);
      else if (lane.underWay === 0) lanes.delete(key);
    });
  }

  function leave(organizationId: string, statements: readonly Statement[], asker: Asker | null): Promise<void> {
    if (!statements.every(({ isRow }) => isRow)) return send(organizationId, statements, asker);
    // Requests leave together if they insert into the same tables in the same order.
    const key = [organizationId, ...statements.map(({ name }) => name)].join(" ");
    let lane = lanes.get(key);
    if (lane === undefined) lanes.set(key, (lane = { underWay: 0, waiting: [], clock: null }));
    return new Promise((arrive, fail) => {
      lane.waiting.push({ statements, asker, arrive, fail });
      if (lane.underWay === 0 || lane.waiting.length === seats) depart(key, lane, organizationId);
      else lane.clock ??= setTimeout(() => depart(key, lane, organizationId), waitMs);
    });
  }

  return async (organizationId, work, asker) => {
    const { hasRead, writes, after, done, goOn } = await gather(work);
    if (!hasRead) {
      if (writes.length > 0) await leave(organizationId, writes, asker);
      for (const act of after) act();
      return done;
    }
    let isFirst = true;
    const onward: typeof work = (real) => {
      if (!isFirst) return work(real);
      isFirst = false;
      goOn(real);
      return done;
    };
    return transaction(organizationId, onward, asker).catch((error) => {
      if (isFirst) goOn(refusing(error));
      throw error;
    });
  };
}

/** The asker of a group. It is as patient as the least patient, has begun as soon as one has, and leaves only when all have left. */
function together(passengers: readonly Passenger[]): Asker | null {
  const askers = passengers.flatMap(({ asker }) => asker ?? []);
  if (askers.length < passengers.length) return null;
  return {
    isHeavy: false,
    hasBegun: askers.some(({ hasBegun }) => hasBegun),
    patienceMs: Math.min(...askers.map(({ patienceMs }) => patienceMs)),
    stepAside: () => {},
    stepOut: () => {},
    get hasLeft() {
      return askers.every(({ hasLeft }) => hasLeft);
    },
    onLeave: () => () => {},
  };
}

const texts = new Map<string, string>();

/** Joins inserts of one row each into one insert of all rows. */
function joined(inserts: readonly Statement[]): Statement {
  const { text, name: ofOne, values } = inserts[0]!;
  const name = `${ofOne} ${inserts.length}`;
  let kept = texts.get(name);
  if (kept === undefined) texts.set(name, (kept = withRows(text, values.length, inserts.length)));
  return { text: kept, name, values: inserts.flatMap((one) => one.values) };
}

function withRows(text: string, width: number, count: number): string {
  const at = text.indexOf(" values ") + " values ".length;
  const row = (i: number) => text.slice(at).replace(/\$(\d+)/g, (_, place: string) => `$${Number(place) + i * width}`);
  return text.slice(0, at) + Array.from({ length: count }, (_, i) => row(i)).join(", ");
}

/** Begins work without a connection: collects what it writes, until it is done or reads something. */
async function gather<T>(work: Work<T>) {
  const writes: Statement[] = [];
  const after: (() => void)[] = [];
  const asked: ((real: Transaction) => void)[] = [];
  let real: Transaction | null = null;
  let isReading = false;
  const reading = Promise.withResolvers<void>();
  const ask = (act: (real: Transaction) => void) => void (real === null ? asked.push(act) : act(real));
  const read = () => {
    isReading = true;
    reading.resolve();
  };
  const acting = (of: (real: Transaction) => Transaction): Transaction => ({
    write(statement) {
      if (!isReading) writes.push(statement);
      ask((one) => of(one).write(statement));
    },
    read(statement) {
      read();
      return new Promise<Rows>((resolve, reject) => ask((one) => of(one).read(statement).then(resolve, reject)));
    },
    afterCommit(act) {
      if (!isReading) after.push(act);
      ask((one) => one.afterCommit(act));
    },
    actingFor(organizationId) {
      read();
      return acting((one) => of(one).actingFor(organizationId));
    },
  });
  const goOn = (one: Transaction) => {
    real = one;
    for (const act of asked.splice(0)) act(one);
  };

  const done = work(acting((one) => one));
  await Promise.race([done, reading.promise]);
  return { done, hasRead: isReading, writes, after, goOn };
}

const refusing = (error: unknown): Transaction => ({
  write: () => {},
  read: () => Promise.reject(error),
  afterCommit: () => {},
  actingFor: () => refusing(error),
});
