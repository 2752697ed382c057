// Amounts of money: whole minor units of a currency, and how often they are due.

import type { Ctx } from "../../core/context.ts";
import { type FieldOptions, formed } from "../../core/field.ts";
import { isCurrency } from "../../values/money.ts";
import { organizationOf } from "../organization/organization.ts";

/** The largest amount, so that a year of it and the sums of reports are still exact in JSON. */
export const moneyMax = 100_000_000_000_000;

export const periods = ["one_time", "monthly", "annual"] as const;
export type Period = (typeof periods)[number];

/** An ISO 4217 code. */
export const currency = <const O extends FieldOptions>(options: O) =>
  formed((raw) => (isCurrency(raw) ? raw : null), "must be a currency code such as USD", options);

export const currencyOfOrganization = (ctx: Ctx): string => organizationOf(ctx.directory).currency;
