// All background work, area by area.
import type { Background } from "../jobs/worker.ts";
import { oauthRevocation } from "./accounts/oauth/revoke.ts";
import { callRecordingWork } from "./activities/call_recordings.ts";
import { callWork } from "./activities/call_work.ts";
import { textMediaWork } from "./activities/text_media.ts";
import { channelMessageWork, smsWork } from "./activities/texts_out.ts";
import { clockWork } from "./automations/clock/clock_work.ts";
import { automationConsumer } from "./automations/consume.ts";
import { hookWork } from "./automations/hooks/hook_work.ts";
import { runWork } from "./automations/run_work.ts";
import { bulkWork } from "./bulk_actions/bulk_work.ts";
import { calendarWork } from "./calendars/follow.ts";
import { customDataWork } from "./custom_data/custom_data_work.ts";
import { enrichmentWork } from "./enrichment/enrichment_work.ts";
import { personErasureWork } from "./erasing/erasure_work.ts";
import { exportWork } from "./exports/export_work.ts";
import { importWork } from "./imports/import_work.ts";
import { listSyncWork } from "./lists/list_sync_work.ts";
import { mailboxWork } from "./mail_in/mailbox_work.ts";
import { mailboxWatch } from "./mail_in/watch_mailboxes.ts";
import { mailWork } from "./mail_out/mail_work.ts";
import { sentCopyWork } from "./mail_out/sent_copy.ts";
import { mailingExportWork } from "./mailing_exports/push_work.ts";
import { erasure } from "./organization/erasure.ts";
import { organizationExportWork } from "./organization_exports/work.ts";
import { signedQuoteWork } from "./quotes/sign.ts";
import { sequenceWork } from "./sequences/take_turn.ts";
import { shareWork } from "./sharing/share_work.ts";
import { systemMailWork } from "./system_mail/send.ts";
import { dialerWork } from "./telephony/dialer_work.ts";
import { numberWork } from "./telephony/number_work.ts";
import { portWork } from "./telephony/port_work.ts";
import { timers } from "./timers.ts";
import { webhookConsumer } from "./webhooks/consume.ts";
import { webhookWork } from "./webhooks/deliver.ts";

export const background: Background = {
  works: [
    erasure,
    customDataWork,
    oauthRevocation,
    calendarWork,
    webhookWork,
    systemMailWork,
    signedQuoteWork,
    mailWork,
    sentCopyWork,
    mailboxWork,
    smsWork,
    channelMessageWork,
    sequenceWork,
    textMediaWork,
    numberWork,
    portWork,
    callWork,
    dialerWork,
    callRecordingWork,
    runWork,
    clockWork,
    hookWork,
    exportWork,
    bulkWork,
    shareWork,
    importWork,
    mailingExportWork,
    enrichmentWork,
    listSyncWork,
    personErasureWork,
    organizationExportWork,
  ],
  consumers: [webhookConsumer, automationConsumer],
  timers,
  watches: [mailboxWatch],
};
