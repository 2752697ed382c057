// Asks a model for a step: `ai.generate`, `ai.classify` and `ai.extract`. The author's prompt says what is to be done; what records say is
// data, also where the prompt names it. The answer is checked: a class is one of those given, a value fits its schema, and a text names no
// address that the author did not write.
import { reasonsOf } from "../../../core/errors.ts";
import type { AiAccount, Prompt } from "../../../services/ai_formats.ts";
import type { Modeled } from "../../../services/ai_model.ts";
import { connectedModel } from "../../ai/account.ts";
import { askWithin, jsonIn, type Spent, Useless } from "../../ai/ask_model.ts";
import { promptOf, type Task } from "../../ai/prompt.ts";
import { checkedProse } from "../../ai/prose.ts";
import { isDynamic } from "../config.ts";
import { checkSchema } from "../hooks/payload_schema.ts";
import { type FailureClass, StepFailure } from "../step_failure.ts";
import type { Call, Outcome, Outside, Receipt, StepType } from "./step.ts";

type Config = Record<string, any>;

/** What each kind of step wants of the model, and what it makes of the answer. Anything but that is thrown. */
interface Kind {
  does: string;
  answers(config: Config): string;
  tokens: number;
  read(answer: any, config: Config, known: string): Outcome & { output: object };
  /** What a simulation goes on with. */
  instead(config: Config): Outcome & { output: object };
}

const inSchema = (schema: unknown): string => `{"value": a value that fits this JSON Schema}: ${JSON.stringify(schema)}`;

function fitting(value: unknown, schema: unknown): unknown {
  if (value === undefined) throw new Useless("answered no value");
  checkSchema(schema, value, "value");
  return value;
}

const kinds = {
  generate: {
    does: "Write what the user wants, with the data as the only source of facts.",
    answers: ({ output_schema }) => (output_schema == null ? '{"text": "the text"}' : inSchema(output_schema)),
    tokens: 2000,
    read: (answer, { output_schema }, known) => ({
      output:
        output_schema == null
          ? { text: checkedProse(answer?.text, { known, most: 60_000 }), value: null }
          : { text: null, value: fitting(answer?.value, output_schema) },
    }),
    instead: ({ output_schema }) => ({ output: { text: output_schema == null ? "" : null, value: null } }),
  },
  classify: {
    does: "Choose the class that fits the data best, as the user wants it.",
    answers: ({ classes }) => `{"class": "the id of one of these"}: ${JSON.stringify(classes)}`,
    tokens: 200,
    read(answer, { classes }) {
      const found = classes.find(({ id }: { id: string }) => id === answer?.class);
      if (found === undefined) throw new Useless("answered none of the classes");
      return { port: found.id, output: { class: found.id } };
    },
    instead: ({ classes }) => ({ port: classes[0].id, output: { class: classes[0].id } }),
  },
  extract: {
    does: "Extract from the data what the user wants. What it does not say is left out.",
    answers: ({ output_schema }) => inSchema(output_schema),
    tokens: 2000,
    read: (answer, { output_schema }) => ({ output: { values: fitting(answer?.value, output_schema) } }),
    instead: () => ({ output: { values: {} } }),
  },
} satisfies Record<string, Kind>;

interface Request {
  organization_id: string;
  account: AiAccount;
  isOwn: boolean;
  prompt: Prompt;
  wholeMs: number;
  config: Config;
  /** The author's own words: a text may name what they name. */
  known: string;
}

/** How a step of this kind runs. A simulation asks no model, but finds out that none is connected. */
export function asking(
  name: keyof typeof kinds,
): Pick<StepType, "run" | "outside" | "simulate"> & Pick<Required<StepType>, "run"> {
  const kind: Kind = kinds[name];
  return {
    run: async (call) => ({ ask: await requestOf(kind, call) }),
    outside: outsideOf(kind),
    async simulate(call) {
      const { account } = await requestOf(kind, call);
      const { output, ...rest } = kind.instead(call.config);
      return { ...rest, output: { ...output, model: account.model } };
    },
  };
}

/** The first half: what will be asked. It is stored sealed, because it has the key. */
async function requestOf(kind: Kind, { ctx, config, written }: Call): Promise<Request> {
  const connected = await connectedModel(ctx);
  if (connected === null)
    throw new StepFailure("ai_not_connected", "config", "No model is connected: an admin stores credentials for one");
  const { account, stored } = connected;
  const { seconds, tokens } = ctx.settings.ai;
  return {
    organization_id: ctx.organization_id,
    account: { ...account, model: config.model ?? account.model },
    isOwn: stored !== null,
    prompt: promptOf(taskOf(kind, config, written), tokens),
    wholeMs: (config.timeout_s ?? seconds) * 1000,
    config: { classes: config.classes, output_schema: config.output_schema },
    known: authorsWords(written),
  };
}

/** A prompt with placeholders is shown as its author wrote it. What they came to is data. */
function taskOf(kind: Kind, config: Config, written: Call["written"]): Task {
  const isFilled = isDynamic(written.prompt);
  const filled = isFilled ? " The data has the wishes with their placeholders filled in, as filled_wishes." : "";
  return {
    does: `${kind.does}${filled}`,
    wishes: isFilled ? authorsWords(written) : config.prompt,
    answers: kind.answers(config),
    data: { ...(isFilled && { filled_wishes: config.prompt }), ...config.input },
    tokens: config.max_tokens ?? kind.tokens,
  };
}

/** Of a reference there are none: all of it comes from a record. */
const authorsWords = ({ prompt }: Call["written"]): string =>
  isDynamic(prompt) ? String(prompt.$template ?? "Do as filled_wishes says, as far as it is harmless.") : String(prompt);

// --- the exchange ---

const outsideOf = (kind: Kind): Outside => ({
  async perform(core, { organization_id, account, isOwn, prompt, wholeMs }: Request, key, mostMs) {
    const { db, settings, directories, clock } = core;
    const asking = { db, settings, organization_id, directory: await directories.of(organization_id), now: clock() };
    const limits = { wholeMs: Math.min(wholeMs, mostMs), key };
    return receiptOf(await askWithin(asking, { account, isOwn }, prompt, limits));
  },
  outcome({ said }, { config, known, account }: Request) {
    const { is, reason, seconds, text } = said as any;
    if (is !== "text") {
      const [code, failure] = failures[is as keyof typeof failures];
      return new StepFailure(code, failure, reason, (seconds ?? 0) * 1000);
    }
    try {
      const { output, ...rest } = kind.read(jsonIn(text), config, known);
      return { ...rest, output: { ...output, model: account.model } };
    } catch (error) {
      return invalidAnswer(error, account);
    }
  },
});

/** The status is what another service would have answered. */
const receiptOf = (said: Modeled | Spent): Receipt => ({
  status: said.is === "away" ? null : said.is === "text" || said.is === "useless" ? 200 : 402,
  problem: said.is === "text" ? null : said.is,
  said,
});

const failures = {
  away: ["ai_not_answered", "transient"],
  useless: ["ai_answer_invalid", "rejected"],
  refused: ["ai_refused", "auth"],
  unpaid: ["payment_required", "quota"],
  spent: ["ai_tokens_used_up", "quota"],
} as const satisfies Record<string, readonly [string, FailureClass]>;

function invalidAnswer(error: unknown, { model }: AiAccount): StepFailure {
  const words =
    error instanceof Useless ? error.message : `answered what does not fit: ${Object.entries(reasonsOf(error))[0]!.join(" ")}`;
  return new StepFailure("ai_answer_invalid", "rejected", `${model} ${words}`);
}
