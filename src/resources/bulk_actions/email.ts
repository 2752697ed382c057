// Sends an e-mail to the contacts of many leads.
import { choice, ref, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { common, kind } from "./common.ts";

export const bulkEmail = resource({
  ...kind("email"),
  doc: "Sends an e-mail from a template to contacts of many leads.",
  fields: {
    ...common(),
    template_id: ref(
      "email_template",
      { onDelete: "clear", onMove: "clear" },
      { createOnly: true, doc: "The template; null once it is deleted." },
    ),
    contact_preference: choice(["lead", "contact", "all"], {
      createOnly: true,
      default: "lead",
      doc: "`lead`: one contact of each lead; `contact`: those that were found; `all`: every contact of each lead.",
    }),
    sender: text({ createOnly: true, doc: "The sender, as `Name <address>`." }),
    email_account_id: text({ createOnly: true, max: 64, doc: "The connected account that sends." }),
    subject: text({ createOnly: true, max: 1000, doc: "Replaces the template's." }),
  },
});
