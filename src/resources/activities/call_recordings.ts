// Recordings and voicemails. The provider says when one is ready; a job fetches it outside of any transaction, stores it as a file of
// the lead, and then deletes it at the provider.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Patch } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work, wake } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords, updateRecord } from "../../records/records.ts";
import { TooLarge } from "../../services/storage.ts";
import { linkOf } from "../files/file.ts";
import { insertFile } from "../files/store_file.ts";
import { type KeptBytes, keepBytes } from "../files/stored_bytes.ts";
import { task } from "../tasks/task.ts";
import { signedRoute } from "../telephony/called.ts";
import { type Connected, connectedProvider } from "../telephony/provider.ts";
import { type CarriedCall, isKnown, lockCarried } from "./carried_call.ts";

const recordingJobs = { kind: "call_recording" } as const;

export const callRecorded = signedRoute({
  name: "provider.call_recorded",
  parts: ["call", "{id}", "recorded", "{what}"],
  doc: "A recording, or a voicemail, is ready.",
  async run({ core, organization_id, connected, occasion, params, form }) {
    const { provider } = connected;
    const told = provider.readRecording(form);
    if (told === null) return null;
    const what = params.what === "voicemail" ? "voicemail" : "recording";
    await asSystem(core, organization_id, occasion, async (ctx) => {
      write(
        ctx,
        statement(sql`insert into call_recording (organization_id, id, call_provider_id, account, what, seconds, date_created)
          values (${ctx.organization_id}, ${told.id}, ${told.call_id}, ${provider.account}, ${what}, ${told.seconds}, ${ctx.now})
          on conflict do nothing`),
      );
      wake(ctx, recordingJobs, [told.id]);
    });
    return null;
  },
});

export const callRecordingWork: Work = {
  ...recordingJobs,
  doc: "Fetches recordings and voicemails of calls, and deletes them at the provider.",
  slots: 4,
  run: takeTurn,
  async giveUp() {},
};

interface Recording {
  id: string;
  call_provider_id: string;
  account: string;
  what: "recording" | "voicemail";
  seconds: number;
  is_stored: boolean;
}

async function recordingOf(ctx: Ctx, id: string): Promise<Recording | null> {
  const [row] = await query(
    ctx,
    statement(sql`select call_provider_id, account, what, seconds, is_stored from call_recording
      where organization_id = ${ctx.organization_id} and id = ${id}`),
  );
  if (row === undefined) return null;
  const [call_provider_id, account, what, seconds, is_stored] = row as string[];
  return {
    id,
    call_provider_id: call_provider_id!,
    account: account!,
    what: what as Recording["what"],
    seconds: Number(seconds),
    is_stored: is_stored === "t",
  };
}

/** After this many failures in a row it stays at the provider. */
const triesMost = 8;

async function takeTurn(core: Core, job: Job): Promise<void> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const inside = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> => asSystem(core, job.organization_id, requestOf(job), work);
  const [recording, connected] = await Promise.all([recordingOf(ctx, job.object_id), connectedProvider(ctx)]);
  if (recording === null) return inside((tx) => forget(tx, job));
  if (connected?.provider.account !== recording.account)
    return inside((tx) => leave(tx, job, recording, "the account at the provider that made it is not connected any more"));

  try {
    if (!recording.is_stored) await store(ctx, inside, job, recording, connected);
    await connected.provider.deleteRecording(recording.id);
  } catch (error) {
    if (error instanceof TooLarge) return inside((tx) => leave(tx, job, recording, "it is larger than 100 MB"));
    if (job.failures < triesMost) throw error;
    return inside((tx) => leave(tx, job, recording, "it could not be fetched"));
  }
  await inside((tx) => forget(tx, job));
}

// --- fetching ---

const bytesMost = 100 * 1024 * 1024;

/** Less than the time that a job's claim lasts. */
const limitMs = 30_000;

async function fetchBytes(ctx: Ctx, { provider }: Connected, id: string): Promise<KeptBytes> {
  const { storage } = ctx.settings;
  const received = await provider.fetchRecording(id, (chunks) => storage.receive(chunks, bytesMost), limitMs);
  try {
    return await keepBytes(ctx, received, ["audio/mpeg"]);
  } finally {
    await received.drop();
  }
}

type Inside = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>;

async function store(ctx: Ctx, inside: Inside, job: Job, recording: Recording, connected: Connected): Promise<void> {
  const kept = await fetchBytes(ctx, connected, recording.id);
  await inside(async (tx) => {
    const carried = await carriedOf(tx, recording);
    await holdClaim(tx, job);
    // The recording of a call that was deleted is not stored: its bytes are removed later.
    if (carried !== null) await file(tx, carried, recording, kept);
    write(
      tx,
      statement(sql`update call_recording set is_stored = true
        where organization_id = ${tx.organization_id} and id = ${recording.id}`),
    );
  });
}

const carriedOf = (ctx: Ctx, { call_provider_id, account }: Recording): Promise<CarriedCall | null> =>
  lockCarried(ctx, { provider_id: call_provider_id, id: "", account });

async function file(ctx: Ctx, carried: CarriedCall, { what, seconds }: Recording, kept: KeptBytes): Promise<void> {
  const at =
    carried.kind === "call"
      ? { lead_id: carried.lead_id, contact_id: carried.contact_id }
      : { private_to: carried.is_to_group_number ? null : carried.user_id };
  const day = ctx.now.toISOString().slice(0, 10);
  const url = linkOf(ctx, await insertFile(ctx, kept, { name: `${what}-${day}.mp3`, ...at }));
  if (what === "recording") {
    await isKnown(ctx, carried, { recording_url: url });
    return;
  }
  const left = { voicemail_url: url, voicemail_duration: seconds };
  await isKnown(ctx, carried, { ...left, disposition: "vm-left" });
  if (carried.kind === "call") await tellTask(ctx, carried.id, left);
}

/** The task to call back links to the voicemail. */
async function tellTask(ctx: Ctx, callId: string, left: object): Promise<void> {
  const [missed] = await findRecords(ctx, task, [sql`t._type = 'missed_call'`, sql`t.object_id = ${callId}`]);
  if (missed !== undefined) await updateRecord(ctx, task, missed.id, left as Patch<typeof task>);
}

// --- the end ---

async function forget(ctx: Ctx, job: Job): Promise<void> {
  await holdClaim(ctx, job);
  write(ctx, statement(sql`delete from call_recording where organization_id = ${ctx.organization_id} and id = ${job.object_id}`));
  release(ctx, job, null);
}

/** It stays where it is, and the call says why. */
async function leave(ctx: Ctx, job: Job, recording: Recording, why: string): Promise<void> {
  const carried = await carriedOf(ctx, recording);
  const error_message = `Its ${recording.what} is still with the provider: ${why}`;
  if (carried?.kind === "call" && !recording.is_stored) await isKnown(ctx, carried, { error_message });
  await forget(ctx, job);
}
