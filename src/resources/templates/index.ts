import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { emailTemplate } from "./email_template.ts";
import { renderEmailTemplate } from "./render.ts";
import { smsTemplate } from "./sms_template.ts";
import {
  createEmailTemplate,
  createSmsTemplate,
  deleteEmailTemplate,
  deleteSmsTemplate,
  updateEmailTemplate,
  updateSmsTemplate,
} from "./template_verbs.ts";

export const templates: Operation[] = [
  ...standard(
    emailTemplate,
    { ...crud, create: createEmailTemplate, update: updateEmailTemplate, delete: deleteEmailTemplate },
    "member",
  ),
  renderEmailTemplate,
  ...standard(
    smsTemplate,
    { ...crud, create: createSmsTemplate, update: updateSmsTemplate, delete: deleteSmsTemplate },
    "member",
  ),
];
