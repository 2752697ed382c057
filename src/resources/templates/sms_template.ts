// An SMS template: a text with placeholders that are filled in for each recipient.
import { choice, lookedUp, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { attachments } from "../activities/attachments.ts";
import { authorNames } from "../shared/names.ts";
import { isInForce } from "./in_force.ts";
import { ownership, templateIsVisible } from "./ownership.ts";
import { shownWarnings, warningsOf } from "./placeholders.ts";

export const templateMax = 10_000;

export const smsTemplate = resource({
  name: "sms_template",
  called: ["SMS template", "SMS templates"],
  prefix: "smstmpl",
  doc: "An SMS template: a text with tags that are filled in for a contact.",
  visible: templateIsVisible,
  isUsed: { by: ["text", "attachments"], now: isInForce },
  sort: { name: true },
  fields: {
    name: text({ required: true }),
    text: text({ max: templateMax, default: "", doc: "With tags, such as `Hi {{ contact.first_name }}`." }),
    status: choice(["active", "archived"], { default: "active", doc: "`archived`: no longer offered." }),
    attachments: attachments(),
    warnings: lookedUp(
      ["text"],
      shownWarnings,
      (directory, text: string) => warningsOf(directory, { text }),
      "Tags of it that name nothing, and come out empty.",
    ),
    ...ownership,
    ...authorNames,
  },
});
