// The only way to PostgreSQL. It returns rows as lists of texts, in the order of the select list, and parses nothing.

export type TextRow = (string | null)[];
export type Rows = TextRow[];

/** SQL with its parameters. A `name` makes it a prepared statement, which needs one plan that fits all values. */
export interface Statement {
  text: string;
  values: unknown[];
  name?: string;
  /** It inserts one row. Several such statements with one name may be joined into one. */
  isRow?: boolean;
  /** What it writes, if that is one row. */
  one?: WrittenRow;
}

export interface WrittenRow {
  row: { id: string };
  /** One statement in place of several with the same name. Each of them writes another row. */
  join(rows: readonly any[]): Statement;
}

/** Who waits for an answer. Without an asker the service itself waits, as long as it takes. */
export interface Asker {
  /** The work may take long, so it gets only a part of the connections. */
  readonly isHeavy: boolean;
  /** Work was already done for this asker, who therefore goes before those who have not begun. */
  hasBegun: boolean;
  /** How long the asker waits for the work to begin. */
  readonly patienceMs: number;
  /** Called when the work may have to wait for a connection. */
  stepAside(): void;
  /** Called when the asker will wait for another service. */
  stepOut(): void;
  /** The asker has gone, or was told that it takes too long. */
  readonly hasLeft: boolean;
  /** Calls `act` when the asker leaves. Returns a function that takes this back. */
  onLeave(act: () => void): () => void;
}

export interface Transaction {
  /** Sends a statement without waiting for it: all statements up to the commit leave together. A failure fails the commit. */
  write(statement: Statement): void;
  /** Sends a statement and waits for its rows. It sees what was written before it. */
  read(statement: Statement): Promise<Rows>;
  /** Calls `act` when the commit is confirmed. */
  afterCommit(act: () => void): void;
  /** The same transaction for another organization, or for all of them (null). Only `auth/unscoped.ts` may do the latter. */
  actingFor(organizationId: string | null): Transaction;
}

export interface Database {
  /** Row-level security is enforced: PostgreSQL puts the policies' conditions into every statement. */
  readonly rowSecurity: boolean;
  /** A bounded read with one plan, on a connection shared with others. */
  read(organizationId: string, statement: Statement, asker?: Asker | null): Promise<Rows>;
  /** A prepared, bounded search, on a shared connection that plans it once for all values. */
  search(organizationId: string, statement: Statement, asker?: Asker | null): Promise<Rows>;
  /** A read of any size or plan. It waits for one of a few connections, and is cancelled when its asker leaves. */
  query(organizationId: string, statement: Statement, asker?: Asker | null): Promise<Rows>;
  /**
   * Like `query`, for reads that may be some seconds old, such as reports: on a replica if there is one that follows closely.
   * `asOf` is the moment that the rows show; null for now.
   */
  report(organizationId: string, statement: Statement, asker?: Asker | null): Promise<{ rows: Rows; asOf: Date | null }>;
  transaction<T>(organizationId: string, run: (tx: Transaction) => Promise<T>, asker?: Asker | null): Promise<T>;
  /** One statement that writes and answers, for the service itself. It is a transaction of its own, and leaves together with its commit. */
  once(organizationId: string, statement: Statement): Promise<Rows>;
  /**
   * Reads that may take minutes and all see the database as it is at the first of them, such as an export. It holds a connection and
   * cannot write.
   */
  snapshot<T>(organizationId: string, run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A read across organizations. Only `auth/unscoped.ts` may. */
  unscoped(statement: Statement): Promise<Rows>;
  /** A transaction before there is an organization, or for all of them. Only `auth/unscoped.ts` may. */
  unscopedTransaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Answers within `timeoutMs` or throws. For the readiness check. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
