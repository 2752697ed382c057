// Subscribes many contacts to a sequence, or pauses, resumes or ends their subscriptions.
import { choice, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { common, kind } from "./common.ts";

export const bulkSequenceSubscription = resource({
  ...kind("sequence_subscription"),
  doc: "Subscribes many contacts to a sequence, or pauses, resumes or reassigns their subscriptions.",
  fields: {
    ...common(),
    action_type: choice(["subscribe", "resume", "resume_finished", "pause", "reassign"], {
      required: true,
      createOnly: true,
      doc: "What is done with the subscriptions of the contacts.",
    }),
    sequence_id: text({ createOnly: true, max: 64 }),
    sender_account_id: text({ createOnly: true, max: 64, doc: "The connected account that sends." }),
    sender_name: text({ createOnly: true, doc: "The name that is shown as the sender." }),
    sender_email: text({ createOnly: true, doc: "The address that is shown as the sender." }),
    contact_preference: choice(["lead", "contact"], { createOnly: true, default: "lead" }),
    calls_assigned_to: texts({
      createOnly: true,
      default: null as string[] | null,
      doc: "The members and groups who make the calls.",
    }),
    from_phone_number_id: text({ createOnly: true, max: 64, doc: "The number that texts are sent from." }),
  },
});
