// The lines of a worker: one for each job and each delivery, and with `LOG_LEVEL=debug` one for each call of another service by HTTP. All
// of them have the id of the request that caused them, where one did.
import { subscribe } from "node:diagnostics_channel";
import type { Logger } from "pino";
import { causeOf, logBackgroundBy } from "../values/background_log.ts";

export function logBackground(log: Logger): void {
  logBackgroundBy((facts, message) => log.info(facts, message));
  if (log.isLevelEnabled("debug")) logCalls(log);
}

interface Call {
  origin: string;
  method: string;
}

interface Begun {
  request_id?: string;
  method: string;
  host: string;
  at: number;
}

/** The path may hold a secret, so it is left out. */
function logCalls(log: Logger): void {
  const begun = new WeakMap<object, Begun>();
  const end = (request: object, result: object) => {
    const { at, ...facts } = begun.get(request) ?? { at: null };
    if (at !== null) log.debug({ ...facts, ...result, ms: Math.round(performance.now() - at) }, "call");
    begun.delete(request);
  };
  subscribe("undici:request:create", (message) => {
    const { request } = message as { request: Call };
    const cause = causeOf();
    const { method } = request;
    const host = new URL(request.origin).host;
    begun.set(request, { ...(cause !== null && { request_id: cause }), method, host, at: performance.now() });
  });
  subscribe("undici:request:headers", (message) => {
    const { request, response } = message as { request: Call; response: { statusCode: number } };
    end(request, { status: response.statusCode });
  });
  subscribe("undici:request:error", (message) => {
    const { request, error } = message as { request: Call; error: { code?: string; name: string } };
    end(request, { error: error.code ?? error.name });
  });
}
