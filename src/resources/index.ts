// All operations of the service, from all areas.
import type { Operation } from "../core/operation.ts";
import type { Resource } from "../core/resource.ts";
import type { PublicRoute } from "../records/public_route.ts";
import { credential } from "./accounts/credential.ts";
import { accounts } from "./accounts/index.ts";
import { connectPage } from "./accounts/oauth/callback.ts";
import { callRecorded } from "./activities/call_recordings.ts";
import { callReceived } from "./activities/calls_in.ts";
import { callAccepted, callEnded, callOver, callPlaced, callRung, callState, callWaited } from "./activities/calls_told.ts";
import { activities } from "./activities/index.ts";
import { callAnsweredBy, callToMachine } from "./activities/machines.ts";
import { textReceived } from "./activities/texts_in.ts";
import { textTold } from "./activities/texts_told.ts";
import { agents } from "./agents/index.ts";
import { ai } from "./ai/index.ts";
import { anyAutomation } from "./automations/any_automation.ts";
import { automationStepRun } from "./automations/automation_run.ts";
import { hookAddress } from "./automations/hooks/receive.ts";
import { automations } from "./automations/index.ts";
import { bulkActions } from "./bulk_actions/index.ts";
import { changeSets } from "./change_sets/index.ts";
import { comments } from "./comments/index.ts";
import { contacts } from "./contacts/index.ts";
import { unsubscribedEmail } from "./contacts/unsubscribed_email.ts";
import { conversations } from "./conversations/index.ts";
import { customDataChange } from "./custom_data/custom_data_change.ts";
import { customData } from "./custom_data/index.ts";
import { customObjects } from "./custom_objects/index.ts";
import { enrichments } from "./enrichment/index.ts";
import { erasing } from "./erasing/index.ts";
import { events } from "./events/index.ts";
import { exports } from "./exports/index.ts";
import { files, sharedFile } from "./files/index.ts";
import { goals } from "./goals/index.ts";
import { imports } from "./imports/index.ts";
import { inbox } from "./inbox/index.ts";
import { leads } from "./leads/index.ts";
import { contactListMember } from "./lists/contact_list_member.ts";
import { lists } from "./lists/index.ts";
import { leadListMember } from "./lists/lead_list_member.ts";
import { clickedLink } from "./mail_tracking/click.ts";
import { mailHit } from "./mail_tracking/mail_hit.ts";
import { openPixel } from "./mail_tracking/open_pixel.ts";
import { unsubscribePage } from "./mail_tracking/unsubscribe_page.ts";
import { mailingExports } from "./mailing_exports/index.ts";
import { notifications } from "./notifications/index.ts";
import { opportunities } from "./opportunities/index.ts";
import { organizations } from "./organization/index.ts";
import { organizationExports } from "./organization_exports/index.ts";
import { projects } from "./projects/index.ts";
import { quotePages, quotes } from "./quotes/index.ts";
import { reports } from "./reports/index.ts";
import { retentions } from "./retention/index.ts";
import { search } from "./search/index.ts";
import { sequences } from "./sequences/index.ts";
import { sharing } from "./sharing/index.ts";
import { digestsOffPage } from "./system_mail/digests_off.ts";
import { tags } from "./tags/index.ts";
import { tasks } from "./tasks/index.ts";
import { browserCall } from "./telephony/browser_call.ts";
import { telephony } from "./telephony/index.ts";
import { templates } from "./templates/index.ts";
import { webhooks } from "./webhooks/index.ts";

export const operations: readonly Operation[] = [
  ...organizations,
  ...leads,
  ...contacts,
  ...erasing,
  ...organizationExports,
  ...retentions,
  ...opportunities,
  ...reports,
  ...ai,
  ...quotes,
  ...projects,
  ...customData,
  ...customObjects,
  ...search,
  ...tasks,
  ...activities,
  ...telephony,
  ...templates,
  ...conversations,
  ...inbox,
  ...events,
  ...webhooks,
  ...accounts,
  ...sequences,
  ...automations,
  ...sharing,
  ...files,
  ...tags,
  ...lists,
  ...changeSets,
  ...comments,
  ...goals,
  ...notifications,
  ...imports,
  ...bulkActions,
  ...exports,
  ...mailingExports,
  ...enrichments,
  ...agents,
];

/** Operations that need no key. */
export const publicRoutes: readonly PublicRoute[] = [
  sharedFile,
  ...quotePages,
  digestsOffPage,
  connectPage,
  textReceived,
  textTold,
  callReceived,
  browserCall,
  callPlaced,
  callWaited,
  callState,
  callRung,
  callAnsweredBy,
  callToMachine,
  callAccepted,
  callOver,
  callEnded,
  callRecorded,
  unsubscribePage,
  openPixel,
  clickedLink,
  hookAddress,
];

/** Resources that other definitions refer to and that have none of the five verbs. */
export const silentResources: readonly Resource[] = [
  contactListMember,
  leadListMember,
  credential,
  unsubscribedEmail,
  mailHit,
  customDataChange,
  anyAutomation,
  automationStepRun,
];
