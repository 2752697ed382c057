// How many records have a tag.
import { z } from "zod";
import { type Related, related } from "../../core/field.ts";
import { name, sql } from "../../db/sql.ts";

export const usageCount = (holder: string): Related =>
  related(
    z.int(),
    (t) => sql`(select count(*) from ${name(holder)} r
      where r.organization_id = ${name(t)}.organization_id and r.tags @> array[${name(t)}.name])`,
    `How many ${holder}s have it.`,
    { always: true },
  );
