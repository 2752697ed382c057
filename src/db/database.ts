// The one door to PostgreSQL. Rows come as arrays of text, in the order of the select list; nothing is parsed here.

export type Row = (string | null)[];
export type Rows = Row[];

/** SQL with its parameters. A `name` makes it a prepared statement: only where one plan fits all values. */
export interface Statement {
  text: string;
  values: unknown[];
  name?: string;
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
  read(organizationId: string, statement: Statement): Promise<Rows>;
  /** A read of any size or plan, on a connection of its own. */
  query(organizationId: string, statement: Statement): Promise<Rows>;
  transaction<T>(organizationId: string, run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A read of what lies across organizations: only `auth/unscoped.ts` may. */
  unscoped(statement: Statement): Promise<Rows>;
  /** Answers within `timeoutMs` or throws: for the readiness check. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
