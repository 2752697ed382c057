// Which passwords are taken: long ones that nobody guesses. Which characters they have does not matter.
const shortest = 10;
const longest = 128;

/** What is wrong with a new password, as a sentence, or null. `known` are words that others know of the person. */
export async function faultOf(password: string, known: readonly string[]): Promise<string | null> {
  const length = [...password.normalize("NFKC")].length;
  if (length < shortest) return `The password must have at least ${shortest} characters: three or four words make a good one.`;
  if (length > longest) return `The password must have at most ${longest} characters.`;
  const { score } = (await estimator()).check(password.slice(0, longest), known.flatMap(partsOf));
  return score < easy
    ? "That password is too easy to guess: it is on lists of common passwords, or made of your own name."
    : null;
}

/** Of 0 to 4: below it, a hundred million guesses are enough. */
const easy = 3;

const partsOf = (word: string): string[] => [word, ...word.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length > 2);

// Its lists of common passwords take some megabytes, so they are loaded when somebody sets one.
async function makeEstimator() {
  const [{ ZxcvbnFactory }, common] = await Promise.all([import("@zxcvbn-ts/core"), import("@zxcvbn-ts/language-common")]);
  return new ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs });
}

let made: ReturnType<typeof makeEstimator> | null = null;
const estimator = () => (made ??= makeEstimator());
