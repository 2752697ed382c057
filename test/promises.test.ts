// A promise that is started before anybody awaits it ends the process when it fails first, because its rejection is unhandled.
// This test finds the three ways to write that in the sources, with the compiler's own types.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { API, type Type } from "typescript/unstable/sync";

const root = new URL("..", import.meta.url).pathname;

/** A place that is a defect if the value is a promise. */
interface Suspect {
  starts: Node;
  why: string;
}

const isFunction = (node: Node): boolean =>
  [
    SyntaxKind.ArrowFunction,
    SyntaxKind.FunctionExpression,
    SyntaxKind.FunctionDeclaration,
    SyntaxKind.MethodDeclaration,
  ].includes(node.kind);

/** Whether something in a node matches, not counting functions inside it. */
const holds = (node: Node, is: (node: Node) => boolean): boolean =>
  is(node) || (!isFunction(node) && node.forEachChild((child) => holds(child, is) || undefined) === true);

const isAwait = (node: Node): boolean =>
  node.kind === SyntaxKind.AwaitExpression ||
  (node.kind === SyntaxKind.ForOfStatement && (node as unknown as { awaitModifier?: Node }).awaitModifier !== undefined);
const awaits = (node: Node): boolean => holds(node, isAwait);
const names = (name: string) => (node: Node) => node.kind === SyntaxKind.Identifier && (node as unknown as Named).text === name;

interface Named {
  text: string;
}
interface Binding {
  name: Node;
  initializer?: Node;
}

/** `[f(), await g()]`: f runs while g is awaited. */
function* besideAwaits(parts: readonly Node[]): Iterable<Suspect> {
  const last = parts.findLastIndex(awaits);
  for (const part of parts.slice(0, Math.max(last, 0)))
    if (part.kind !== SyntaxKind.AwaitExpression)
      yield { starts: part, why: "is started, and then something beside it is awaited" };
}

/** `const f = start(); await other(); await f`. */
function* beforeAwaits(statements: readonly Node[]): Iterable<Suspect> {
  for (const [i, statement] of statements.entries()) {
    for (const { name, starts } of startedBy(statement)) {
      const rest = statements.slice(i + 1);
      const use = rest.findIndex((one) => !isFunction(one) && mentions(one, name));
      const between = use < 0 ? rest : rest.slice(0, use);
      const isLate = between.some(awaits) || (use >= 0 && awaitsBefore(rest[use]!, name));
      if (isLate) yield { starts, why: `is started as ${name}, and something else is awaited before it` };
    }
  }
}

const mentions = (node: Node, name: string): boolean =>
  names(name)(node) || node.forEachChild((child) => mentions(child, name) || undefined) === true;

/** Whether a statement awaits something before it uses the name. */
function awaitsBefore(statement: Node, name: string): boolean {
  let found: "await" | "name" | null = null;
  const walk = (node: Node): void => {
    if (found !== null || isFunction(node)) return;
    if (names(name)(node)) found = "name";
    else if (isAwait(node) && !mentions(node, name)) found = "await";
    else node.forEachChild(walk);
  };
  walk(statement);
  return found === "await";
}

function startedBy(statement: Node): { name: string; starts: Node }[] {
  if (statement.kind !== SyntaxKind.VariableStatement) return [];
  const { declarations } = (statement as unknown as { declarationList: { declarations: readonly Binding[] } }).declarationList;
  return declarations.flatMap(({ name, initializer }) =>
    initializer === undefined || isFunction(initializer) || initializer.kind === SyntaxKind.AwaitExpression
      ? []
      : [{ name: (name as unknown as Named).text ?? "", starts: initializer }],
  );
}

/** `f();` as a statement, where nobody handles a failure. */
function* unheeded(statement: Node): Iterable<Suspect> {
  const { expression } = statement as unknown as { expression: Node };
  if (expression.kind !== SyntaxKind.CallExpression) return;
  const called = (expression as unknown as { expression: Node }).expression;
  const method = (called as unknown as { name?: Named }).name?.text;
  const handled = method === "catch" || (method === "then" && (expression as unknown as Required<Parts>).arguments.length === 2);
  if (!handled) yield { starts: expression, why: "is started and neither awaited nor caught" };
}

interface Parts {
  elements?: readonly Node[];
  arguments?: readonly Node[];
  properties?: readonly Node[];
  statements?: readonly Node[];
}

function* suspectsIn(node: Node): Iterable<Suspect> {
  const { elements, arguments: given, properties, statements } = node as unknown as Parts;
  for (const parts of [elements, given, properties]) if (parts) yield* besideAwaits([...parts]);
  if (statements) yield* beforeAwaits([...statements]);
  if (node.kind === SyntaxKind.ExpressionStatement) yield* unheeded(node);
}

function allSuspects(file: Node): Suspect[] {
  const found: Suspect[] = [];
  const walk = (node: Node): void => {
    found.push(...suspectsIn(node));
    node.forEachChild(walk);
  };
  walk(file);
  return found;
}

test("no promise is started that nobody awaits yet", () => {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects();
    const { program, checker } = project!;
    const isPromise = (type: Type | undefined): boolean =>
      type !== undefined && /^Promise<|\| Promise</.test(checker.typeToString(type));
    const broken = globSync("src/**/*.ts", { cwd: root })
      .filter((file) => !file.endsWith(".test.ts"))
      .flatMap((file) => {
        const source = program.getSourceFile(join(root, file))!;
        const suspects = allSuspects(source);
        const types = suspects.length === 0 ? [] : checker.getTypeAtLocation(suspects.map(({ starts }) => starts));
        return suspects
          .filter((_, i) => isPromise(types[i]))
          .map(({ starts, why }) => `${file}: ${starts.getText(source).split("\n")[0]} ${why}`);
      });

    assert.deepEqual(broken, [], "await what must come first, and then start the rest; or `.catch` what may fail alone");
  } finally {
    api.close();
  }
});
