// An event that was offered to automations. It is kept for some time, so that it can be looked at and replayed.
import { z } from "zod";
import { json, ref, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { visibleAsRecord } from "./visibility.ts";

const readOnly = true;

export const automationEvent = resource({
  name: "automation_event",
  prefix: "aevt",
  path: "/automation_events",
  doc: "Something that automations listened to, kept for a while to look into and to try again.",
  event: null,
  visible: visibleAsRecord,
  fields: {
    type: text({ readOnly, required: true, doc: "The name of the event, or `webhook.received`, `schedule.tick`, `manual.run`." }),
    source: text({ readOnly, doc: "Where it came from." }),
    automation_id: text({ readOnly, max: 64, doc: "Of a webhook: the automation whose it is." }),
    object_type: text({ readOnly, doc: "With `object_id`: the record it is about." }),
    object_id: text({ readOnly, max: 64 }),
    lead_id: ref("lead", { onDelete: "clear", onMove: "clear" }, { readOnly }),
    payload: json(z.record(z.string(), z.unknown()), { readOnly, default: {} }),
    matched_automation_ids: texts({ readOnly, default: [] as string[], doc: "The automations that listened." }),
    run_ids: texts({ readOnly, default: [] as string[], doc: "The runs that it started." }),
  },
});
