// The kinds of numbers that a provider rents.
import type { OfferedNumber } from "../../services/telephony.ts";

type Kind = OfferedNumber["carrier_type"];

export const rentedKinds: readonly Kind[] = ["local", "mobile", "tollfree"];

/** Undefined for kinds that are not rented as such. */
export const rentedKind = (carrierType: string | undefined): Kind | undefined => rentedKinds.find((one) => one === carrierType);

/** What the provider has told of a number before it is stored. */
export interface Ordered {
  number?: string;
  carrier_type?: Kind;
}
