// Has a person called by way of a dialer.
import { addToDialer } from "../../telephony/add_to_dialer.ts";
import { dialer } from "../../telephony/dialer.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { personNamed } from "./whom.ts";
import { checkMay } from "./writing.ts";

export async function addPersonToDialer(call: Call): Promise<Outcome> {
  const { ctx, config } = call;
  checkMay(call, dialer, "update");
  const person = await personNamed(call, config.contact, ({ phones }) => phones.length > 0);
  const result = await addToDialer(ctx, config.dialer_id, person);
  if (result === null) throw new StepFailure("record_not_found", "not_found", `The dialer ${config.dialer_id} does not exist`);
  if (result === "done") throw new StepFailure("dialer_done", "conflict", "The dialer is done and calls nobody any more");
  return { output: { contact_id: person.id, added: result === "added" } };
}
