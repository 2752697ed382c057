// The only way to PostgreSQL. It answers rows as lists of texts, in the order of the select list, and parses nothing.

export type TextRow = (string | null)[];
export type Rows = TextRow[];

/** SQL with its parameters. A `name` makes it a prepared statement: only where one plan fits all values. Which connection it is sent on is said by who sends it. */
export interface Statement {
  text: string;
  values: unknown[];
  name?: string;
  /** It inserts one row, and several of its name may be one statement. */
  isRow?: boolean;
}

/** Who waits for an answer. Where nobody is named the service itself does, and waits as long as it takes. */
export interface Asker {
  /** What they ask for may take long: it gets only a part of the connections. */
  readonly isHeavy: boolean;
  /** Something was done for them already: they go before those for whom nothing was. */
  hasBegun: boolean;
  /** How long they wait to begin. */
  readonly patienceMs: number;
  /** Told when what they ask for may have to wait for a connection. */
  stepAside(): void;
  /** Nobody waits any more: they went away, or were told that it takes too long. */
  readonly hasLeft: boolean;
  /** Calls when they leave; answers what takes that back. */
  onLeave(act: () => void): () => void;
}

export interface Transaction {
  /** Sends a statement without waiting for it: everything up to the commit leaves in one flight. A failure is the commit's failure. */
  write(statement: Statement): void;
  /** Sends a statement and waits for its rows; they see what was written before. */
  read(statement: Statement): Promise<Rows>;
  /** Runs once the commit is acknowledged. */
  afterCommit(act: () => void): void;
  /** The same transaction, acting for another organization; for null, for all of them: only `auth/unscoped.ts` may. */
  actingFor(organizationId: string | null): Transaction;
}

export interface Database {
  /** Row-level security is enforced: PostgreSQL puts the policies' conditions into every statement. */
  readonly rowSecurity: boolean;
  /** A bounded read by one plan, on a connection shared with others. */
  read(organizationId: string, statement: Statement, asker?: Asker | null): Promise<Rows>;
  /** A prepared search, bounded and of any order, on a connection shared with others that plans it once for all values. */
  search(organizationId: string, statement: Statement, asker?: Asker | null): Promise<Rows>;
  /** A read of any size or plan: it waits for one of a few connections, and is cancelled when who asked for it leaves. */
  query(organizationId: string, statement: Statement, asker?: Asker | null): Promise<Rows>;
  /**
   * The same for what may be some seconds old, such as a report: on a replica where there is one that follows closely. `asOf` is the
   * moment the rows are of; null for now.
   */
  report(organizationId: string, statement: Statement, asker?: Asker | null): Promise<{ rows: Rows; asOf: Date | null }>;
  transaction<T>(organizationId: string, run: (tx: Transaction) => Promise<T>, asker?: Asker | null): Promise<T>;
  /** A read of what lies across organizations: only `auth/unscoped.ts` may. */
  unscoped(statement: Statement): Promise<Rows>;
  /** Answers within `timeoutMs` or throws: for the readiness check. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
