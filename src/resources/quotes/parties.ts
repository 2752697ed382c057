// Who offers a quote and to whom, as it is kept in a quote that was sent.
import { z } from "zod";

export const parties = z.object({
  seller: z.object({ name: z.string(), address: z.string().nullable() }),
  /** The recipient: a company, and a person there. */
  to: z.array(z.string()),
  /** The time zone of the printed dates. */
  timezone: z.string(),
});

export type Parties = z.output<typeof parties>;
