// What a migration will do, read from its SQL by PostgreSQL's own parser before anything runs: what it does to tables that have rows,
// and what the release before could not live with.
import { loadModule, parseSync } from "libpg-query";
import { contractsOf, isConcurrent } from "./apply_migration.ts";

await loadModule();

/** A node of the syntax tree. */
type Node = any;

export interface Effect {
  table: string;
  kind: keyof typeof kinds;
  /** An index's or a column's name. */
  of: string;
  /** The definition of an index, without its name and table. */
  index?: string;
}

/** What each kind means for those who use the table. */
export const kinds = {
  beside: "builds an index beside reads and writes",
  index: "builds an index: writes wait",
  key: "builds an index for a constraint: reads and writes wait",
  rewrite: "writes every row anew: reads and writes wait",
  check: "checks every row: reads and writes wait",
  look: "checks every row beside reads and writes",
  rows: "changes rows: whoever writes the same ones waits",
} as const;

export interface Foreseen {
  /** Effects on tables that were there before, where they take longer the more rows there are. */
  effects: Effect[];
  /** What the release before cannot live with. */
  breaks: string[];
  /** A line of the file says that it takes away only what the release before does not use any more. */
  contracts: string | null;
  /** The file has statements that are put together while they run. */
  isOpaque: boolean;
}

export function foresee(text: string): Foreseen {
  const bytes = Buffer.from(text);
  const { stmts } = parseSync(text) as { stmts: { stmt: Node; stmt_location?: number; stmt_len?: number }[] };
  const own = new Set(stmts.flatMap(({ stmt }) => stmt.CreateStmt?.relation.relname ?? []));
  const found: Foreseen = {
    effects: [],
    breaks: [],
    contracts: contractsOf(text),
    isOpaque: false,
  };
  for (const { stmt, stmt_location: from = 0, stmt_len: length = bytes.length } of stmts) {
    const [[kind, node]] = Object.entries<Node>(stmt) as [[string, Node]];
    const source = bytes.subarray(from, from + length).toString();
    readers[kind]?.(node, found, source);
  }
  // A table of the file's own is empty, and the release before does not know it.
  found.effects = found.effects.filter(({ table }) => !own.has(table));
  found.breaks = found.breaks.filter((line) => ![...own].some((table) => line.startsWith(`${table}: `)));
  const slow = found.effects.filter(({ kind }) => kind === "index");
  if (!isConcurrent(text)) found.breaks.push(...slow.map(({ table, of }) => `${table}: ${of} is built while writes wait`));
  return found;
}

type Reader = (node: Node, found: Foreseen, source: string) => void;

const readers: Readonly<Record<string, Reader>> = {
  IndexStmt(node, { effects }, source) {
    const [, index] = /\bon\s+(?:only\s+)?[\w."]+\s*(.*)$/is.exec(source) ?? [];
    effects.push({ table: node.relation.relname, kind: node.concurrent ? "beside" : "index", of: node.idxname, index });
  },
  AlterTableStmt(node, found) {
    if (node.objtype !== "OBJECT_TABLE") return;
    for (const { AlterTableCmd } of node.cmds) readChange(node.relation.relname, AlterTableCmd, found);
  },
  RenameStmt({ relation, subname, newname, renameType }, { breaks }) {
    if (/TABLE|COLUMN|VIEW/.test(renameType)) breaks.push(`${relation.relname}: ${subname ?? "it"} is renamed to ${newname}`);
    else if (/FUNCTION|PROCEDURE|ROUTINE/.test(renameType)) breaks.push(`a function is renamed to ${newname}`);
  },
  DropStmt({ removeType, objects }, { breaks }) {
    if (!/TABLE|VIEW|FUNCTION|PROCEDURE|TYPE|SEQUENCE/.test(removeType)) return;
    for (const one of objects) breaks.push(`${droppedName(one)}: it is dropped`);
  },
  UpdateStmt: readRows,
  DeleteStmt: readRows,
  DoStmt: (_, found) => void (found.isOpaque = true),
};

function readRows({ relation }: Node, { effects }: Foreseen): void {
  effects.push({ table: relation.relname, kind: "rows", of: "" });
}

function droppedName(one: Node): string {
  const names = one.List?.items ?? one.ObjectWithArgs?.objname ?? one.TypeName?.names ?? [];
  return names.at(-1)?.String.sval ?? "something";
}

function readChange(table: string, { subtype, name, def }: Node, { effects, breaks }: Foreseen): void {
  const effect = (kind: Effect["kind"], of: string) => void effects.push({ table, kind, of });
  switch (subtype) {
    case "AT_AddColumn":
      return readColumn(table, def.ColumnDef, effect, breaks);
    case "AT_DropColumn":
      return void breaks.push(`${table}: the column ${name} is dropped`);
    case "AT_AlterColumnType":
      effect("rewrite", name);
      return void breaks.push(`${table}: the column ${name} gets another type`);
    case "AT_SetNotNull":
      effect("check", name);
      return void breaks.push(`${table}: the column ${name} must not be empty any more`);
    case "AT_ValidateConstraint":
      return effect("look", name);
    case "AT_AddConstraint":
      return readConstraint(def.Constraint, effect);
  }
}

function readColumn(
  table: string,
  { colname, constraints = [], typeName }: Node,
  effect: (kind: Effect["kind"], of: string) => void,
  breaks: string[],
): void {
  const of = (type: string): Node => constraints.find(({ Constraint }: Node) => Constraint.contype === type)?.Constraint;
  const isCounted = /serial/.test(typeName.names.at(-1).String.sval) || of("CONSTR_IDENTITY") !== undefined;
  const preset = of("CONSTR_DEFAULT")?.raw_expr;
  const isComputed = of("CONSTR_GENERATED")?.generated_kind === "s";
  if (isCounted || isComputed || (preset !== undefined && isVolatile(preset))) effect("rewrite", colname);
  if (of("CONSTR_UNIQUE") || of("CONSTR_PRIMARY")) effect("key", colname);
  const isGiven = isCounted || isComputed || preset !== undefined;
  if (of("CONSTR_NOTNULL") && !isGiven) breaks.push(`${table}: the new column ${colname} must not be empty and has no default`);
}

/** PostgreSQL stores one value for all rows unless the default calls something that may answer each row differently. */
const isVolatile = (expression: Node): boolean =>
  [...JSON.stringify(expression).matchAll(/"funcname":(\[.*?\])/g)].some(
    ([, name]) => !/"(now|transaction_timestamp|current_setting)"/.test(name!),
  );

function readConstraint(constraint: Node, effect: (kind: Effect["kind"], of: string) => void): void {
  const { contype, conname = "a constraint", skip_validation, indexname } = constraint;
  const isKey = /UNIQUE|PRIMARY|EXCLUSION/.test(contype);
  if (isKey && indexname === undefined) effect("key", conname);
  if (!isKey && !skip_validation) effect("check", conname);
}
