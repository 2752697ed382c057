// The directory of an organization: its small records (settings, statuses, members, custom fields, …). They are read in one
// flight and kept in memory, so labels need no join and a create needs one flight. A transaction that changes them announces it
// with `notify`, and every process drops its copy. Until the message arrives, foreign keys refuse what was deleted.
import { LRUCache } from "lru-cache";
import type { Database } from "../db/database.ts";
import { and, join, name, raw, sql, statement } from "../db/sql.ts";
import { from, type Resource, type Row, within } from "./resource.ts";
import { rowReader } from "./row.ts";

export class Directory {
  readonly organization_id: string;
  private readonly tables: Map<string, readonly Record<string, unknown>[]>;
  private readonly byId = new Map<string, Map<string, Record<string, unknown>>>();
  private readonly memos = new Map<string, unknown>();

  constructor(organizationId: string, tables: Map<string, readonly Record<string, unknown>[]>) {
    this.organization_id = organizationId;
    this.tables = tables;
    for (const [resource, rows] of tables) this.byId.set(resource, new Map(rows.map((row) => [row.id as string, row])));
  }

  /** The record with this id, or undefined. */
  get<R extends Resource>(of: R, id: string | null | undefined): Row<R> | undefined {
    return typeof id === "string" ? (this.byId.get(of.name)?.get(id) as Row<R> | undefined) : undefined;
  }

  /** All records in their order. */
  list<R extends Resource>(of: R): readonly Row<R>[] {
    return this.all(of.name) as readonly Row<R>[];
  }

  /** Like `get`, by the resource's name: for code that knows no resource. */
  find(resource: string, id: string): Record<string, unknown> | undefined {
    return this.byId.get(resource)?.get(id);
  }

  /** Like `list`, by the resource's name. */
  all(resource: string): readonly Record<string, unknown>[] {
    const rows = this.tables.get(resource);
    if (rows === undefined) throw new Error(`${resource} is not in the directory: its definition needs cached: true`);
    return rows;
  }

  has(resource: string): boolean {
    return this.tables.has(resource);
  }

  /** Something computed once from the directory and kept as long as it lives. */
  memo<T>(key: string, make: (directory: Directory) => T): T {
    if (!this.memos.has(key)) this.memos.set(key, make(this));
    return this.memos.get(key) as T;
  }
}

export interface Directories {
  of(organizationId: string): Directory | Promise<Directory>;
  /** Drops a directory, or all for null. Called by the process that changed something, and for the announcements of others. */
  forget(organizationId: string | null): void;
  /** Keeps nothing while it is on: announcements cannot be heard. */
  bypass(on: boolean): void;
}

export const announcements = "headwater_changed";

export function openDirectories(db: Database, resources: readonly Resource[]): Directories {
  const cached = resources.filter((resource) => resource.cached);
  const kept = new LRUCache<string, Directory>({ max: 1000 });
  const loading = new Map<string, Promise<Directory>>();
  let generation = 0;
  let bypassed = false;

  async function load(organizationId: string): Promise<Directory> {
    const begun = generation;
    const directory = await readDirectory(db, cached, organizationId);
    if (begun === generation && !bypassed) kept.set(organizationId, directory);
    return directory;
  }

  return {
    of(organizationId) {
      const directory = kept.get(organizationId);
      if (directory !== undefined) return directory;
      let promise = loading.get(organizationId);
      if (promise === undefined) {
        promise = load(organizationId).finally(() => {
          if (loading.get(organizationId) === promise) loading.delete(organizationId);
        });
        loading.set(organizationId, promise);
      }
      return promise;
    },
    forget(organizationId) {
      // A load that is under way may have read the old rows. It still answers its callers, and is not kept.
      generation++;
      loading.clear();
      if (organizationId === null) kept.clear();
      else kept.delete(organizationId);
    },
    bypass(on) {
      bypassed = on;
      if (on) kept.clear();
    },
  };
}

/** Reads the directory as the running transaction sees it, uncommitted changes included. */
export async function readDirectory(
  db: Pick<Database, "read">,
  cached: readonly Resource[],
  organizationId: string,
): Promise<Directory> {
  const tables = await Promise.all(
    cached.map(async (resource) => {
      const rows = await db.read(organizationId, selectAll(resource, organizationId));
      const read = rowReader(resource);
      return [resource.name, rows.map(read)] as const;
    }),
  );
  return new Directory(organizationId, new Map(tables));
}

const selectAll = (resource: Resource, organizationId: string) =>
  statement(
    sql`select ${join([...resource.columns.map(([column]) => name(column)), raw("version")], ", ")}
        from ${from(resource, "t")} where ${and(within(organizationId, resource, "t"))} order by ${raw(directoryOrder(resource))}`,
    `${resource.name}.directory`,
  );

const directoryOrder = (resource: Resource) => ("position" in resource.fields ? "position, id" : "id");
