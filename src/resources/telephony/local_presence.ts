// The number that a call of a dialer comes from: a fixed one, or the one nearest to whoever is called, because people answer numbers
// of their own area more often.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { stateOfNumber } from "../../values/area_codes.ts";
import { parsePhone } from "../../values/phone.ts";
import type { dialer } from "./dialer.ts";
import { isUsableBy, usualNumber } from "./own_numbers.ts";
import { phoneNumber } from "./phone_number.ts";

type PhoneNumber = Row<typeof phoneNumber>;

/**
 * The member's number for a call to `phone`. The dialer's own where they may use it, else the one they usually call from; with
 * `local_presence` the nearest, and these where none is in the country of `phone`.
 */
export function callerFor(
  ctx: Ctx,
  { caller_id, caller_id_mode }: Pick<Row<typeof dialer>, "caller_id" | "caller_id_mode">,
  userId: string,
  phone: string | null,
): PhoneNumber | null {
  const own = ctx.directory.get(phoneNumber, caller_id);
  const fixed = own !== undefined && isUsableBy(own, userId) ? own : usualNumber(ctx, userId);
  if (caller_id_mode === "fixed") return fixed;
  const [best] = localNumbers(ctx, userId)
    .map((number) => ({ number, near: phone === null ? 0 : nearness(number.number, phone) }))
    .sort((a, b) => b.near - a.near || Number(b.number.id === fixed?.id) - Number(a.number.id === fixed?.id));
  return best !== undefined && (best.near > 0 || fixed === null) ? best.number : fixed;
}

/** Those that belong to a place, work, and may be used by the member: their own, and those of their groups. */
const localNumbers = (ctx: Ctx, userId: string): PhoneNumber[] =>
  ctx.directory
    .list(phoneNumber)
    .filter((one) => one.type === "internal" && one.status === "active" && isLocal(one) && isUsableBy(one, userId));

const isLocal = ({ carrier_type, number }: PhoneNumber): boolean =>
  carrier_type !== "tollfree" && carrier_type !== "shortcode" && !tollfree.test(number);

const tollfree = /^\+1(?:800|888|877|866|855|844|833)/;

/**
 * 0 in another country. In North America the area code tells the place, then its state; elsewhere the more digits two numbers begin
 * with in common, the nearer they are.
 */
function nearness(one: string, other: string): number {
  const country = parsePhone(one, "US")?.country ?? null;
  if (country === null || country !== parsePhone(other, "US")?.country) return 0;
  if (!one.startsWith("+1")) return 1 + inCommon(one, other);
  if (one.slice(0, 5) === other.slice(0, 5)) return 3;
  const state = stateOfNumber(one);
  return state !== null && state === stateOfNumber(other) ? 2 : 1;
}

function inCommon(one: string, other: string): number {
  let n = 0;
  while (n < one.length && one[n] === other[n]) n++;
  return n;
}
