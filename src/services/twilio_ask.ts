// How the parts of Twilio's API are asked.
import type { Twilio } from "twilio";

/** Sends requests to Twilio and reads their answers. Throws its refusals in our words, and says so where an answer cannot be read. */
export type Ask = <T>(what: (client: Twilio) => Promise<T>) => Promise<T>;
