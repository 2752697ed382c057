// Triggers of the clock. Two days go by.
import type { TriggerExample } from "./example.ts";

const dayFromNow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

export const clockTriggerExamples: Record<string, TriggerExample> = {
  "schedule.cron": {
    config: {
      cron: "0 * * * *",
      timezone: "Europe/Berlin",
      for_each: { object_type: "lead", condition: { type: "field", ref: "record.industry", op: "is", value: "Steel" } },
    },
    async act(acme) {
      const [one] = [await acme.lead({ industry: "Steel" }), await acme.lead()];
      return one.id;
    },
  },
  "schedule.date": {
    config: {
      object_type: "opportunity",
      date_field: "expected_close_date",
      offset: { amount: 1, unit: "days", direction: "before" },
      at: "23:59",
      timezone: "UTC",
      condition: { type: "field", ref: "record.confidence", op: "gt", value: 50 },
    },
    async act(acme) {
      const deal = (confidence: number) => acme.opportunity({ expected_close_date: dayFromNow(), confidence });
      const [one] = [await deal(60), await deal(40), await acme.opportunity({ confidence: 60 })];
      return one.id;
    },
  },
  "record.inactive": { config: { object_type: "lead", days: 1 }, act: async (acme) => (await acme.lead()).id },
};
