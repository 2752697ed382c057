// Steps that ask other services.
import { z } from "zod";
import { mailingExport } from "../../mailing_exports/mailing_export.ts";
import { anything, defining, fieldName, label, may, need, oneOf, values } from "../catalog.ts";
import { emitEvent, eventName } from "./emitting.ts";
import { endOfLookUp, enrichmentLacks, enrichmentOutput, startLookUp } from "./enriching.ts";
import { endOfPush, pushContact, pushLacks, pushOutput } from "./pushing.ts";
import { http, requestLacks, requestOf, shownRequest } from "./requesting.ts";
import { internal, type StepType } from "./step.ts";

const define = defining<StepType>();
const external = "external";

export const externalSteps: readonly StepType[] = [
  define(
    external,
    "http.request",
    "Asks another service.",
    {
      method: need(oneOf("GET", "POST", "PUT", "PATCH", "DELETE")),
      url: need(
        z
          .string()
          .max(2048)
          .regex(/^(?!.*\{[{%])/s, { error: 'is taken as it is written: to fill something in, write {"$template": "https://…"}' })
          .regex(/^https?:\/\/\S+$/i, { error: "must be an address that begins with https:// or http://" }),
      ),
      headers: may(values),
      body: may(anything),
      auth_credential: may(label),
      expect_status: may(z.array(z.int().min(100).max(599)).max(50)),
      response_map: may(values),
      timeout_s: may(z.int().min(1).max(30)),
    },
    {
      ports: ["out", "http_error"],
      side_effect: "keyed",
      speaks: true,
      output: z.looseObject({ status: z.int(), body: z.unknown(), is_cut: z.boolean() }),
      run: requestOf,
      outside: http,
      shown: shownRequest,
      lacks: requestLacks,
      simulate: async (call) => {
        await requestOf(call);
        return { output: { status: 200, body: null, is_cut: false } };
      },
    },
  ),
  define(
    external,
    "webhook.emit",
    "Sends a custom event to webhooks.",
    { event_name: need(eventName), payload: need(values) },
    { ...internal, output: z.object({ event: z.string() }), run: emitEvent },
  ),
  define(
    external,
    "enrich.run",
    "Looks up what is known elsewhere about a lead or a contact.",
    {
      target: need(anything),
      providers: may(z.array(label).max(10)),
      fields: may(z.array(fieldName).max(50)),
      wait: may(z.boolean()),
    },
    {
      ports: ["done", "no_match", "timeout"],
      side_effect: "internal",
      output: enrichmentOutput,
      run: startLookUp,
      awaited: endOfLookUp,
      lacks: enrichmentLacks,
    },
  ),
  define(
    external,
    "mailing_export.push",
    "Sends a contact to a mailing platform, and waits until it is there.",
    { platform: need(label), config: may(values), contact: may(anything) },
    {
      ...internal,
      speaks: true,
      output: pushOutput,
      run: pushContact,
      awaited: endOfPush,
      lacks: pushLacks,
      does: { verb: "create", kind: () => mailingExport.name },
    },
  ),
];
