// Turns a provider's refusal during a request into the error of that request.
import { invalid, paymentRequired, unavailable } from "../../core/errors.ts";
import { NotDone } from "../../services/telephony.ts";
import { isBilling } from "../../services/twilio_words.ts";

/**
 * The reason on `field`; 402 when the provider requires payment first, 503 with the reason when it does not do it now.
 * `.catch(asRefusal("number"))`.
 */
export const asRefusal =
  (field: string) =>
  (error: unknown): never => {
    if (!(error instanceof NotDone)) throw error;
    if (error.kind !== "refused") throw unavailable(30, `${error.message.replace(/; it is asked again$/, "")}.`);
    throw isBilling(error.code)
      ? paymentRequired(`Twilio: ${error.message}.`)
      : invalid({ [field]: error.message, status: "error" });
  };
