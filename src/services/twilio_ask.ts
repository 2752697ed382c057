// How the parts of Twilio's API are asked.
import type { Twilio } from "twilio";

/** Sends one request to Twilio, and throws its refusals in our words. */
export type Ask = <T>(what: (client: Twilio) => Promise<T>) => Promise<T>;
