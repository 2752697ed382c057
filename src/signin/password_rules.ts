// Which passwords are taken: long ones that nobody guesses. Which characters they have does not matter.
import { membershipsToActIn } from "../auth/unscoped_oauth.ts";
import type { Person } from "../auth/unscoped_sign_in.ts";
import type { Core } from "../core/core.ts";

const shortest = 10;
const longest = 128;

/** What is wrong with a new password, as a sentence, or null. What others know of the person makes it easy to guess. */
export async function faultOf(core: Core, { id, email, name }: Person, password: string): Promise<string | null> {
  const length = [...password.normalize("NFKC")].length;
  if (length < shortest) return `The password must have at least ${shortest} characters: three or four words make a good one.`;
  if (length > longest) return `The password must have at most ${longest} characters.`;
  const workspaces = (await membershipsToActIn(core.db, id)).map((one) => one.organization_name);
  const known = [email, name, ...workspaces];
  const { score } = (await estimator()).check(password.slice(0, longest), known.flatMap(partsOf));
  return score < easy
    ? "That password is too easy to guess: it is on lists of common passwords, or made of your name or that of a workspace."
    : null;
}

/** Of 0 to 4: below it, a hundred million guesses are enough. */
const easy = 3;

const partsOf = (word: string): string[] =>
  [word, word.replace(/\s/g, ""), ...word.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length > 2);

// Its lists of common passwords take some megabytes, so they are loaded when somebody sets one.
async function makeEstimator() {
  const [{ ZxcvbnFactory }, common] = await Promise.all([import("@zxcvbn-ts/core"), import("@zxcvbn-ts/language-common")]);
  return new ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs });
}

let made: ReturnType<typeof makeEstimator> | null = null;
const estimator = () => (made ??= makeEstimator());
