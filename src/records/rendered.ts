// The JSON of a record that is stored in a column of its row, so that a list of 100 costs a quarter. A read adds the looked-up
// values at its end.
import { createHash } from "node:crypto";
import type { Directory } from "../core/directory.ts";
import type { Moment } from "../core/field.ts";
import type { Resource, Row } from "../core/resource.ts";
import { quoteOrNull } from "../values/json_text.ts";
import { allDeletedValues } from "./custom_fields.ts";
import { isInDirectory, partsOf } from "./parts.ts";
import { type Lookup, renderStored } from "./render.ts";
import { build, compileKinds, type Projection, Selection, valueCode } from "./writer.ts";

/** The parts that every read looks up. */
const lookedUpParts = (of: Resource) =>
  partsOf(of).flatMap((part) => (part.kind === "lookedUp" && !part.isOnDemand ? [part] : []));

const tags = new WeakMap<Resource, string>();

// A rendering begins with a tag of its definition. One with another tag was made by another definition and is not used.
function tagOf(of: Resource): string {
  let tag = tags.get(of);
  if (tag === undefined) {
    const shape = of.shown.map(([key, { source }], i) => [key, source, partsOf(of)[i]!.isOnDemand]);
    tags.set(
      of,
      (tag = createHash("sha1")
        .update(JSON.stringify([of.rendered, shape]))
        .digest("base64url")
        .slice(0, 6)),
    );
  }
  return tag;
}

/** The text of the column `rendered` for a row. */
export const renderedText = <R extends Resource>(of: R, row: Row<R>): string => tagOf(of) + renderStored(of, row);

const renderedProjections = new WeakMap<Resource, Projection>();

/**
 * The projection of all ordinary fields that reads the rendering. `write` returns "" for a row without a valid one, whose columns
 * must be read instead. Undefined if the resource stores no renderings, or has labels that need a join.
 */
export function renderedProjectionOf(of: Resource, lookup: Lookup): Projection | undefined {
  if (of.rendered === undefined) return undefined;
  let kept = renderedProjections.get(of);
  if (kept === undefined) {
    const compileOne = (one: Resource, selection?: Selection) => compileRendered(one, lookup, selection);
    renderedProjections.set(of, (kept = of.kinds ? compileKinds(of, compileOne) : compileOne(of)));
  }
  return kept;
}

function compileRendered(of: Resource, lookup: Lookup, selection = new Selection()): Projection {
  const text = `r[${selection.at("t.rendered")}]`;
  const helpers: unknown[] = [];
  const helper = (value: unknown) => `h[${helpers.push(value) - 1}]`;
  const behind = lookedUpParts(of).map(
    ({ key, field }) => `+${JSON.stringify(`,"${key}":`)}+${valueCode(of, key, field, selection, helper, lookup)}`,
  );
  selection.at("t.version");
  const tag = tagOf(of);
  const write = build(
    `(${text}===null||!${text}.startsWith("${tag}")||${helper(showsDeleted)}(d,${text}))?"":"{"+${text}.slice(${tag.length})${behind.join("")}+"}"`,
    helpers,
  );
  return selection.projection(write);
}

/** Whether a rendering shows a value that is deleted: then the columns must be read instead. */
const showsDeleted = (directory: Directory, text: string): boolean =>
  allDeletedValues(directory).some((name) => text.includes(`"${name}":`));

/** A rendering and the ids of its labels as one column: each further column of 100 rows costs as much as writing it. */
export interface Lean {
  select: string;
  /** Appends the pieces of a record without copying it. Records with the same labels share the last. False without a valid rendering. */
  push: (pieces: string[], text: string, directory: Directory, moment: Moment) => boolean;
}

const idStart = '"id":"';

const leans = new WeakMap<Resource, Lean | null>();

/** Null if reads look up more than labels from the directory and addresses. */
export function leanOf(of: Resource, lookup: Lookup): Lean | null {
  let kept = leans.get(of);
  if (kept === undefined) leans.set(of, (kept = makeLean(of, lookup)));
  return kept;
}

function makeLean(of: Resource, lookup: Lookup): Lean | null {
  const parts = lookedUpParts(of);
  const labels = parts.flatMap(({ key, field }) =>
    field.source === "label" && isInDirectory(lookup(field.to)) ? [{ key, ...field }] : [],
  );
  const links = parts.flatMap(({ key, field }) =>
    field.source === "lookedUp" && field.path !== undefined ? [{ start: `"${key}":"`, path: field.path }] : [],
  );
  if (of.rendered === undefined || of.kinds || labels.length + links.length < parts.length) return null;

  const refs = [...new Set(labels.map(({ ref }) => ref))];
  const tag = tagOf(of);
  const write = (directory: Directory, ids: readonly string[]) =>
    labels.map(({ key, ref, to, field }) => {
      const id = ids[refs.indexOf(ref)]!;
      return `,"${key}":${quoteOrNull(id === "" ? null : directory.find(to, id)?.[field])}`;
    });
  let current: Directory | null = null;
  let ends = new Map<string, string>();
  return {
    // `concat` would look up the output function of each value, which takes a fifth of the time of reading a page.
    select: [...refs.map((ref) => `coalesce(t.${ref}, '') || ' '`), `E'\\n'`, "coalesce(t.rendered, '')"].join(" || "),
    push(pieces, text, directory, { settings }) {
      const at = text.indexOf("\n") + 1;
      if (!text.startsWith(tag, at) || showsDeleted(directory, text)) return false;
      const record = at + tag.length;
      // The id is the first field of every record, so a rendering begins with it.
      const id = text.slice(record + idStart.length, text.indexOf('"', record + idStart.length));
      let start = "{";
      for (const link of links) start += `${link.start}${settings.base_url}${link.path}${id}/",`;
      if (directory !== current || ends.size > 1000) [current, ends] = [directory, new Map()];
      const ids = text.slice(0, at);
      let end = ends.get(ids);
      if (end === undefined) ends.set(ids, (end = `${write(directory, ids.split(" ")).join("")}}`));
      pieces.push(start, text.slice(record), end);
      return true;
    },
  };
}
