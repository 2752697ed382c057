// How many of the records that the caller sees have a tag.
import { z } from "zod";
import { type Related, related } from "../../core/field.ts";
import { name, sql } from "../../db/sql.ts";
import { andVisible, leadIsVisible, visibleAsLead } from "../leads/visibility.ts";

export const usageCount = (holder: "lead" | "contact"): Related =>
  related(
    z.int(),
    (t, ctx) => sql`(select count(*) from ${name(holder)} r
      where r.organization_id = ${ctx.organization_id} and r.tags @> array[${name(t)}.name]
        ${andVisible(holder === "lead" ? leadIsVisible(ctx, "r") : visibleAsLead(ctx, "r"))})`,
    `How many ${holder}s have it.`,
    { always: true },
  );
