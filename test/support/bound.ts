// Parses a statement as PostgreSQL does and finds what a cluster cannot send to one machine. Above all, these are tables of
// organizations that are read without the organization as a value at the same level. Each subquery is its own level, and so is
// each part of a `with`. The organization of an outer row does not count.
import { loadModule, parseSync } from "libpg-query";

await loadModule();

/** A node of the syntax tree. */
type Node = any;

/** A table of organizations at a level, with its alias there. */
interface Relation {
  alias: string;
  table: string;
}

/** What the database says about itself. */
export interface Known {
  /** The tables of organizations. */
  tables: ReadonlySet<string>;
  /** Functions whose result may change between two calls. */
  unsteady: ReadonlySet<string>;
}

/** The faults of a statement, in words. */
export function faultsOf(text: string, known: Known): string[] {
  const { stmts } = parseSync(text) as { stmts: { stmt: Node }[] };
  const judge = new Judge(known);
  for (const { stmt } of stmts) judge.visit(stmt, new Set());
  if (stmts.length > 1) judge.faults.add("several statements in one text");
  if (stmts.some(({ stmt }) => answersStar(stmt)))
    judge.faults.add("select *: name the columns, for a prepared statement cannot answer others");
  return [...judge.faults];
}

/** Walks a tree, level by level. `named` are the names that `with` defines: they are no tables. */
class Judge {
  readonly faults = new Set<string>();
  private readonly known: Known;

  constructor(known: Known) {
    this.known = known;
  }

  visit(node: Node, named: ReadonlySet<string>): void {
    if (node === null || typeof node !== "object") return;
    for (const [kind, inner] of Object.entries<Node>(node)) {
      if (kind === "SelectStmt") this.select(inner, named);
      else if (kind === "InsertStmt") this.insert(inner, named);
      else if (kind === "UpdateStmt") this.change(inner, inner.fromClause, named);
      else if (kind === "DeleteStmt") this.change(inner, inner.usingClause, named);
      else if (kind === "MergeStmt") this.faults.add("merge: say it by insert, update and delete");
      else if (kind === "ConstraintsSetStmt") this.faults.add("set constraints reaches only the machine that was asked");
      else this.visit(inner, named);
    }
  }

  private select({ withClause, larg, rarg, ...query }: Node, outer: ReadonlySet<string>): void {
    const named = this.visitWith(withClause, outer);
    for (const half of [larg, rarg]) if (half) this.select(half, named);
    this.judge(query.fromClause, query.whereClause, named);
    this.visit(query, named);
  }

  private change({ withClause, relation, ...query }: Node, others: Node[] | undefined, outer: ReadonlySet<string>): void {
    const named = this.visitWith(withClause, outer);
    this.judge([{ RangeVar: relation }, ...(others ?? [])], query.whereClause, named);
    this.judgeCalls(callsOf([query.targetList, query.whereClause], true), "on columns of what is changed");
    this.judgeCalls(callsOf(query.returningClause, false), "in what a change answers");
    this.visit(query, named);
  }

  /** An inserted row must have its organization as a value, or from the column of a bound table. */
  private insert({ withClause, relation, ...query }: Node, outer: ReadonlySet<string>): void {
    const named = this.visitWith(withClause, outer);
    if (this.known.tables.has(relation.relname)) {
      const at = (query.cols ?? []).findIndex((one: Node) => one.ResTarget.name === column);
      const source = query.selectStmt?.SelectStmt ?? {};
      const relations = this.relationsOf(source.fromClause, named);
      const bound = boundAt(relations, source.fromClause, source.whereClause);
      const selected = [source.targetList?.[at]?.ResTarget.val];
      const given: Node[] = source.valuesLists?.map((row: Node) => row.List.items[at]) ?? selected;
      const isBound = (value: Node) => isValue(value) || bound.has(aliasOf(value, relations) ?? "");
      if (at < 0 || !given.every(isBound)) this.faults.add(`insert into ${relation.relname}`);
    }
    this.judgeCalls(callsOf(query.returningClause, false), "in what a change answers");
    this.visit(query, named);
  }

  /** Each part knows those before it. */
  private visitWith(clause: Node, outer: ReadonlySet<string>): ReadonlySet<string> {
    const named = new Set(outer);
    for (const { CommonTableExpr: part } of clause?.ctes ?? []) {
      if (clause.recursive) named.add(part.ctename);
      this.visit(part.ctequery, new Set(named));
      named.add(part.ctename);
    }
    return named;
  }

  private judge(from: Node[] | undefined, where: Node, named: ReadonlySet<string>): void {
    const relations = this.relationsOf(from, named);
    const bound = boundAt(relations, from, where);
    for (const { alias, table } of relations)
      if (!bound.has(alias)) this.faults.add(alias === table ? table : `${table} ${alias}`);
  }

  private judgeCalls(called: readonly string[], where: string): void {
    for (const one of called)
      if (this.known.unsteady.has(one)) this.faults.add(`${one}() ${where}: compute it before, or read it after`);
  }

  /** The tables of organizations in a `from`, including those within joins. */
  private relationsOf(from: Node[] | undefined, named: ReadonlySet<string>): Relation[] {
    return (from ?? []).flatMap(({ RangeVar: one, JoinExpr: both }: Node) => {
      if (both) return this.relationsOf([both.larg, both.rarg], named);
      if (one === undefined || named.has(one.relname) || !this.known.tables.has(one.relname)) return [];
      return [{ alias: one.alias?.aliasname ?? one.relname, table: one.relname }];
    });
  }
}

const column = "organization_id";

const answersStar = ({ SelectStmt: query }: Node): boolean =>
  (query?.targetList ?? []).some(
    ({ ResTarget: { val } }: Node) => val.ColumnRef?.fields.length === 1 && val.ColumnRef.fields[0].A_Star,
  );

/** The functions that an expression calls outside of subqueries: all of them, or only those with a column as an argument. */
function callsOf(node: Node, onColumns: boolean): string[] {
  if (node === null || typeof node !== "object") return [];
  return Object.entries<Node>(node).flatMap(([kind, inner]) => {
    if (kind === "SelectStmt") return [];
    const counts = kind === "FuncCall" && (!onColumns || JSON.stringify(inner.args ?? []).includes("ColumnRef"));
    return [...(counts ? [inner.funcname.at(-1).String.sval] : []), ...callsOf(inner, onColumns)];
  });
}

/** The aliases at a level that are bound to an organization: by a value, or by equality with one that is bound. */
function boundAt(relations: readonly Relation[], from: Node[] | undefined, where: Node): Set<string> {
  const bound = boundBy(where, relations);
  const equal = equalitiesOf(where, relations);
  const look = ({ JoinExpr: join }: Node): void => {
    if (join === undefined) return;
    const [left, right] = [join.larg, join.rarg].map((side) => aliasesOf(side));
    // The condition of an outer join binds only the side that may be missing.
    const told = (alias: string) =>
      join.jointype === "JOIN_INNER" ||
      (join.jointype === "JOIN_LEFT" && right!.has(alias)) ||
      (join.jointype === "JOIN_RIGHT" && left!.has(alias));
    for (const alias of boundBy(join.quals, relations)) if (told(alias)) bound.add(alias);
    for (const [one, other] of equalitiesOf(join.quals, relations)) if (told(one)) equal.push([one, other]);
    [join.larg, join.rarg].forEach(look);
  };
  (from ?? []).forEach(look);
  for (let size = -1; size !== bound.size; ) {
    size = bound.size;
    for (const [one, other] of equal) if (bound.has(other)) bound.add(one);
  }
  return bound;
}

/** All aliases on one side of a join. */
function aliasesOf({ RangeVar: one, JoinExpr: both }: Node): Set<string> {
  if (both) return new Set([...aliasesOf(both.larg), ...aliasesOf(both.rarg)]);
  return new Set(one ? [one.alias?.aliasname ?? one.relname] : []);
}

/** The aliases that a condition binds by a value. With `or`, each branch has to bind them. */
function boundBy(condition: Node, relations: readonly Relation[]): Set<string> {
  const { BoolExpr: both } = condition ?? {};
  if (both !== undefined && both.boolop !== "NOT_EXPR") {
    const each: string[][] = both.args.map((one: Node) => [...boundBy(one, relations)]);
    const isEach = (alias: string) => each.every((one) => one.includes(alias));
    return new Set(each.flat().filter((alias) => both.boolop === "AND_EXPR" || isEach(alias)));
  }
  const sides = sidesOf(condition);
  const found = sides.filter((_, i) => isValue(sides[1 - i])).map((side) => aliasOf(side, relations));
  return new Set(found.filter((alias) => alias !== null));
}

/** The pairs of aliases whose organizations a condition makes equal, in both directions. */
function equalitiesOf(condition: Node, relations: readonly Relation[]): [string, string][] {
  const { BoolExpr: both } = condition ?? {};
  if (both?.boolop === "AND_EXPR") return both.args.flatMap((one: Node) => equalitiesOf(one, relations));
  const [one, other] = sidesOf(condition).map((side) => aliasOf(side, relations));
  return one && other
    ? [
        [one, other],
        [other, one],
      ]
    : [];
}

/** Both sides of an `=`. */
function sidesOf(condition: Node): Node[] {
  const { A_Expr: compared } = condition ?? {};
  const isEquality = compared?.kind === "AEXPR_OP" && compared.name[0].String.sval === "=";
  return isEquality ? [compared.lexpr, compared.rexpr] : [];
}

/** The alias whose organization column this is. Null for any other expression, and for a table of another level. */
function aliasOf(side: Node, relations: readonly Relation[]): string | null {
  const names: string[] = (side?.ColumnRef?.fields ?? []).map((one: Node) => one.String?.sval);
  if (names.at(-1) !== column) return null;
  if (names.length === 1) return relations.length === 1 ? relations[0]!.alias : null;
  return relations.find(({ alias }) => alias === names[0])?.alias ?? null;
}

/** A parameter or a constant, whatever its type and collation. */
const isValue = (side: Node): boolean => {
  const { ParamRef, A_Const, TypeCast, CollateClause } = side ?? {};
  return (
    ParamRef !== undefined ||
    A_Const !== undefined ||
    ((TypeCast ?? CollateClause)?.arg !== undefined && isValue((TypeCast ?? CollateClause).arg))
  );
};
