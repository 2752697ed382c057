// The command `headwater`. Each command is a file under cli/ that is loaded when it is needed.
import { Command } from "commander";
import { complain, Mistake } from "./cli/say.ts";
import { version } from "./cli/version.ts";
import { type Config, parseConfig } from "./config.ts";
import { isNoRoom } from "./values/no_room.ts";

interface CommandFile {
  run(config: Config, ...given: any[]): Promise<void>;
}

/** Runs a command with the configuration, then its arguments and options. */
const run =
  (load: () => Promise<CommandFile>) =>
  async (...given: unknown[]): Promise<void> => {
    const { run: command } = await load();
    await command(parseConfig(process.env), ...given.slice(0, -1));
  };

/** The same for what looks for a database that is there: with a mistyped DATA_DIR it would make another one, and a key. */
const runOnPresent = (load: () => Promise<CommandFile>) =>
  run(async () => ({
    async run(config, ...given) {
      (await import("./cli/database.ts")).refuseWithoutDatabase(config);
      await (await load()).run(config, ...given);
    },
  }));

const program = new Command("headwater")
  .description("The open-source sales CRM that other software and AI agents run on.")
  .version(version);
const email = ["--email <address>", "the person's e-mail address"] as const;

program
  .command("start")
  .description("run the service")
  .action(run(() => import("./cli/start.ts")));
program
  .command("api")
  .description("answer requests only; `worker` does the rest")
  .action(run(() => import("./cli/api.ts")));
program
  .command("worker")
  .description("do what is to be done in the background; several may run")
  .action(run(() => import("./cli/worker.ts")));
program
  .command("migrate")
  .description("bring the database to this release's version")
  .option("--check", "only say what it would do, what would wait for it, and how long that takes here")
  .action((options: { check?: boolean }) =>
    (options.check ? runOnPresent(() => import("./cli/migrate_check.ts")) : run(() => import("./cli/migrate.ts")))(),
  );
program
  .command("distribute")
  .description("spread the tables over the servers of a Citus cluster, by organization")
  .option("--shards <count>", "into how many parts each table is divided", "32")
  .action(runOnPresent(() => import("./cli/distribute.ts")));

program
  .command("backup [file]")
  .description("write everything into one archive while the service goes on; without a file, to BACKUP_TO")
  .option("--without-secrets", "leave passwords, tokens and keys of other services out")
  .option("--organization <id>", "only this organization, without secrets, to put it in elsewhere")
  .option("--despite-missing", "to BACKUP_TO, also if files are lost that were there at the last backup")
  .action(runOnPresent(() => import("./cli/backup.ts")));
program
  .command("verify [file]")
  .description("read an archive whole, and say what is in it; without a file, the newest one in BACKUP_TO")
  .action(run(() => import("./cli/verify.ts")));
program
  .command("restore [file]")
  .description("put an archive into an empty database; without a file, the newest one in BACKUP_TO")
  .option("--without-secrets", "leave out what was sealed with a key that is lost")
  .option("--was-stopped", "its service was stopped before the backup and did nothing since, so what has become due is sent here")
  .option("--organization", "put in one organization beside others, while the service goes on")
  .option("--new-ids", "as a copy of it, with ids of its own")
  .action(run(() => import("./cli/restore.ts")));

const key = program.command("key").description("API keys");
key
  .command("create")
  .description("print a new key of a member; who was invited accepts by it")
  .requiredOption(...email)
  .option("--organization <id>", "which organization, where there are several")
  .option("--name <name>", "what the key is for")
  .action(runOnPresent(() => import("./cli/key_create.ts")));

const organization = program.command("organization").description("organizations");
organization
  .command("create")
  .description("create an organization and print it with a key of its admin")
  .requiredOption("--name <name>", "the organization's name")
  .requiredOption(...email)
  .action(run(() => import("./cli/organization_create.ts")));

organization
  .command("limit <organization> <percent>")
  .description("leave an organization a part of the usual limits: 0 suspends it, 100 gives all of it back")
  .action(runOnPresent(() => import("./cli/organization_limit.ts")));

const account = program.command("account").description("billing accounts");
account
  .command("create")
  .description("create a further billing account of a person")
  .requiredOption(...email)
  .action(run(() => import("./cli/account_create.ts")));
account
  .command("link")
  .description("print a new link by which somebody accepts their invitation")
  .requiredOption(...email)
  .option("--organization <id>", "which organization, where there are several")
  .action(runOnPresent(() => import("./cli/account_link.ts")));
account
  .command("billing <account> <status>")
  .description("say whether an account is paid: past_due or active")
  .action(runOnPresent(() => import("./cli/account_billing.ts")));

program
  .command("demo")
  .description("create an organization with a quarter of a sales team's work, and print it with a key of its admin")
  .option("--size <count>", "how many companies", "300")
  .option("--seed <number>", "another seed makes another demo; the same one makes the same", "7")
  .action(run(() => import("./cli/demo.ts")));
program
  .command("routes")
  .description("list everything the service can do")
  .action(async () => (await import("./cli/routes.ts")).run());
program
  .command("doctor")
  .description("look at what the service stands on, and say what to do")
  .option("--rotate-secret", "seal every stored secret with a new SECRET_KEY instead; SECRET_KEY_OLD is the one before")
  .option("--at <url>", "only say whether the service at this address works on the database of these settings")
  .action(async ({ rotateSecret, at }: { rotateSecret?: boolean; at?: string }) => {
    if (at !== undefined) await (await import("./cli/doctor_at.ts")).run(parseConfig(process.env), at);
    else if (rotateSecret) await (await import("./cli/rotate_secret.ts")).rotateSecret(parseConfig(process.env));
    else await (await import("./cli/doctor.ts")).run(process.env);
  });

// `headwater routes | head` is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  complain(shown(error));
  process.exit(1);
}

/**
 * An error that the operator can correct is printed as a sentence. With LOG_LEVEL debug or trace, and for defects, with the
 * stack.
 */
function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isNoRoom(error)) {
    const lines = error.message.split("\n");
    return `There is no room on the disk: make some, and run it again. ${lines.find((one) => /no space/i.test(one)) ?? lines[0]}`;
  }
  const isPlain = error instanceof Mistake || error.constructor === Error || error.name === "EmbeddedError";
  const verbose = /^(debug|trace)$/.test(process.env.LOG_LEVEL ?? "");
  return isPlain && !verbose && error.message !== "" ? error.message : (error.stack ?? error.message);
}
