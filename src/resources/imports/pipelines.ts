// The pipeline that the words in a file mean. Together with the stage it says the status, where several pipelines have the same stages.
import type { Directory } from "../../core/directory.ts";
import { pipeline } from "../opportunities/pipeline.ts";
import { plainLabel } from "./status_kinds.ts";

/** The pipeline of a row. */
export interface Within {
  id: string;
  name: string;
  /** The file calls it so, or by its id. */
  isNamed: boolean;
  /** The row names no stage. */
  isAlone: boolean;
}

export const pipelineTarget = "opportunity.pipeline";

/** What HubSpot, Pipedrive and others call the pipeline that they begin with, in HubSpot also as its id. */
const firstOnes: ReadonlySet<string> = new Set(["default", "pipeline", "salespipeline", "dealspipeline", "defaultpipeline"]);

/** Where there is one pipeline only, there is nothing to tell apart. Null for words that could be any of several. */
export function pipelineOf(directory: Directory, text: string): Omit<Within, "isAlone"> | null {
  const all = directory.list(pipeline);
  const alike = all.filter(({ name }) => plainLabel(name) === plainLabel(text));
  const named =
    all.find(({ id, name }) => id === text || name.toLowerCase() === text.toLowerCase()) ??
    (alike.length === 1 ? alike[0] : undefined);
  if (named !== undefined) return { id: named.id, name: named.name, isNamed: true };
  const [first] = all;
  if (first === undefined || (all.length > 1 && !firstOnes.has(plainLabel(text)))) return null;
  return { id: first.id, name: first.name, isNamed: false };
}

export function notPipeline(directory: Directory, text: string): string {
  const names = directory.list(pipeline).map(({ name }) => name);
  const word = JSON.stringify(text.slice(0, 60).toWellFormed());
  return `${word} is not a pipeline: there are ${names.join(", ")}; a transform with a map says which one it means`;
}
