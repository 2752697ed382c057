// When to use an operation that is not one of the five verbs: one to three sentences for somebody who chooses among the operations. What
// follows from a definition is not said here: `about_operation.ts` derives it.

const activityPurposes: Record<string, string> = {
  "call.voicemail_drop":
    "Use it when the caller hears a mailbox and has a recorded message for it, so that nobody speaks the same words fifty times a day. Only the member who makes the call can.",
  "dialer.call":
    "Use it to make a call rather than to log one, which is `POST /activity/call/`. Follow it by `GET /activity/call/{id}/` or by the events of `activity.call`.",
  "dialer.next":
    "Use it to work through a dialer: ask for the next lead, call it by `POST /dialer/call/`, write down the outcome, and ask again until `done` is true. Several members can work through one dialer without calling the same lead.",
  "dialer.token":
    "Use it in a softphone of your own: the provider's SDK for browsers registers with this token, and the caller is rung there. Ask for another one before `expires_at`.",
  "conversation.message":
    "Use it to reply where somebody wrote, whatever the channel: an e-mail without a subject of its own answers the newest one of the conversation. Where there is no conversation yet, use `POST /activity/email/` and its kin.",
  "conversation.restore": "Use it to take back a deletion: the conversation returns to the inbox with its messages.",
  "inbox_prospect.convert":
    "Use it when a stranger's message turns out to be business. Give `lead_id` to attach it to a lead that exists; without one, a lead and a contact are created from the sender.",
  "inbox_prospect.dismiss":
    "Use it to clear a stranger's message that is no business, so that the list of open prospects is what is left to do.",
  "inbox_rule.try": "Use it before a rule is switched on, or to find out why a message was filed as it was.",
  "task.bulk_update":
    "Use it to complete or reassign many tasks in one request, such as those of somebody who is away. Where there are more than 1,000, ask again for those that are left.",
  "notification.mark_all_read":
    "Use it behind a button that empties the bell. A single notification is marked by `PUT /notification/{id}/`.",
  "email_template.render":
    "Use it to show somebody what a recipient would read before anything is sent, and to find variables that would be empty.",
  "file.create":
    "Use it to attach a document to a lead, contact or deal, or to have a file to send. A form is the least work for large files, `content_base64` for programs and agents that speak JSON only.",
  "file.download": "Use it to read a file that `GET /file/` lists.",
  "file.resolve":
    "Use it in outreach to pick the right attachment: the brochure of this person, or else of their company, or else the general one. It is 404 when none is assigned to the channel.",
};

const aiPurposes: Record<string, string> = {
  "ai.draft_email":
    "Use it to give a person a first version to edit. Send the result by `POST /activity/email/`; nothing goes out by itself.",
  "ai.extract_tasks":
    "Use it after a call or a long thread so that promises become tasks. Without `create`, it only answers what it found.",
  "ai.generate_icp_rubric":
    "Use it once, to turn what a founder says about good customers into criteria that `POST /ai/score_lead/` applies to each lead.",
  "ai.score_lead":
    "Use it to sort new leads by how well they fit. While the organization has no rubric of its own, a usual one is used, and `rubric_source` says so.",
  "ai.search":
    "Use it behind a search box for people. A program that knows what it wants asks `POST /data/search/` with the query that this one shows.",
  "ai.suggest_opportunity":
    "Use it to notice a deal that nobody has written down. Create it by `POST /opportunity/` if the suggestion is right.",
  "ai.summarize_conversation":
    "Use it before somebody takes over a thread. The summary is kept with the conversation until it is asked for again.",
  "ai.summarize_lead": "Use it before a call or a meeting.",
};

const automationPurposes: Record<string, string> = {
  "automation_run.cancel":
    "Use it to stop one run, such as that of a customer who has called in the meantime. Steps that are done stay done.",
  "automation_run.retry":
    "Use it once the cause of a failure is mended. By default it goes on at the step that failed, so that nothing is sent twice.",
  "automation_schema.get": "Use it to write automations by program, or to check them in an editor before they are sent.",
  "automation_trigger_types.list": "Use it to learn what may start an automation, and what each trigger has to be told.",
  "automation_condition_types.list": "Use it to learn what an automation's filter and branches may ask.",
  "automation_step_types.list":
    "Use it to learn what an automation may do, what each step has to be told, and by which ports it can be left.",
  "automation.upgrade":
    "Use it when a rule has to branch, to wait for something, or to end early: the draft has its actions as steps, and can be changed freely.",
  "automations.pause":
    "Use it to stop an automation at once, whatever it is about. Choose by `in_flight` what becomes of the runs under way.",
  "automations.publish":
    "Use it when a draft is ready: until then nothing runs. Errors in the draft are refused by name; `warnings` says what is allowed and may not be meant.",
  "automations.replay":
    "Use it to see how a changed draft would have handled what really happened. With `effects: execute` it catches up on an event that was missed.",
  "automations.retry":
    "Use it after an outage, when one cause made many runs fail: `fingerprint` chooses those with the same failure.",
  "automations.rotate_secret":
    "Use it when the key that signs calls to the automation's address may have leaked, or on a schedule. Senders have a day to change over.",
  "automations.run":
    "Use it for a published automation with the trigger `manual`: a button beside a record, or a program that decides by itself whom it is for.",
  "automations.runs": "Use it to watch one automation. `GET /automation_runs/` lists the runs of all.",
  "automations.simulate":
    "Use it while an automation is being written: it walks through the steps for a record of your choice and says by which port each leaves, and why.",
  "automations.stats": "Use it to see whether an automation does its work: how often it ran, how it ended, and where it failed.",
  "automations.versions": "Use it to see who changed an automation and when, and to compare what was in force then.",
  "change_set.undo":
    "Use it when an agent or a script did what nobody wanted: name the `x-request-id` of one request, or the `x-change-set` that its requests carried. What it cannot take back, it lists with the reason.",
  "budget.use": "Use it to see how near an agent is to its limits before it is refused.",
};

const recordPurposes: Record<string, string> = {
  "contact.merge": "Use it for one person who is there twice. The destination keeps its own values and gets what it lacked.",
  "lead.merge": "Use it for one company that is there twice. Its contacts, deals, tasks and history are on one lead afterwards.",
  "lead.move":
    "Use it when a company belongs to another team or brand of yours. The caller must be an admin of both organizations.",
  "contact.enrich":
    "Use it for one contact whose title or links are missing. It is done in the background: the answer is an enrichment, and `GET /enrichment/{id}/` says what was filled.",
  "lead.enrich":
    "Use it for one company of which only the name or website is known. For many at a time use `POST /bulk_action/enrich/`.",
  "contact.erase":
    "Use it to answer a request under the GDPR or a similar law. It is done in the background: the answer is an erasure whose receipt says what was deleted and rewritten.",
  "contact.share":
    "Use it when two organizations of yours know the same person and should both see a new address. Notes, deals and history are not shared.",
  "contact.shares": "Use it to see who else would learn of a change before it is made.",
  "contact.unshare": "Use it when one of the organizations should no longer follow the other's changes. Nothing is deleted.",
  "share_bulk.create":
    "Use it to share everybody of a list or of a search at once, when a second organization begins with the contacts of the first.",
  "share_bulk.resume":
    "Use it after a run ended as `failed` and its cause is gone. Contacts that are shared already are not shared again.",
  "contact_list.add_members":
    "Use it to fill a list by program. Adding somebody twice changes nothing, so it can be repeated safely.",
  "contact_list.remove_member": "Use it to take one contact off a list. The contact itself stays.",
  "contact_list.copy_from_source":
    "Use it to work here with a list that is kept elsewhere. Copying it again adds who has joined since; nobody is removed.",
  "contact_list.copy_from_named_source":
    "Use it only if a client of yours has the source in its address already; `copy_from_source` is the same with a body.",
  "lead_list.add_members": "Use it to fill a list for a dialer or a campaign. Adding a lead twice changes nothing.",
  "lead_list.remove_member": "Use it to take one lead off a list. The lead itself stays.",
  "custom_field_schema.get":
    "Use it to draw a form or to map columns: it has the fields of one kind of record in the order in which people see them.",
  "data.search":
    "Use it when the filters of a list are not enough: alternatives, negations, and conditions on related records, such as leads without a call in thirty days.",
  "organization.create":
    "Use it for a second team or brand that is to have its own leads and members. The same account pays for it, unless the caller names another of theirs; the answer's `api_key` is the first key to it.",
  "organization.get": "Use it to read the settings that hold for everybody in the organization.",
  "organization.retention":
    "Use it before `settings.retention` is set or shortened: with the days in the query it says how much would be deleted, and deletes nothing.",
  "me.get": "Use it first with a new key: it says whose key it is, in which organization, and what it may do.",
  "me.update": "Use it for a person's own profile. What others are, an admin changes by `PUT /membership/{id}/`.",
  "user.availability": "Use it to route work to who is there, or to show who can be called.",
  "user.set_availability":
    "Use it in a client that takes calls: repeat it while the window is open, and the telephony provider rings the browser.",
};

const workPurposes: Record<string, string> = {
  "bulk_action.delete":
    "Use it to delete everything that a search finds. With `dry_run` it says first how many records that is; `POST /bulk_action/{id}/undo/` brings them back for 30 days.",
  "bulk_action.edit":
    "Use it for everything that a search finds: a status, an owner, a tag, or other fields. With `dry_run` it says how many records it would touch.",
  "bulk_action.email":
    "Use it for one message to many, such as an announcement. For a series that stops at a reply, use a sequence.",
  "bulk_action.enrich":
    "Use it after an import that brought little more than names. Try it by `dry_run` first: each lookup may cost something at the provider.",
  "bulk_action.sequence_subscription":
    "Use it to start a campaign with everybody a search finds, or to hold one while its author is away.",
  "bulk_action.undo":
    "Use it when an edit or a deletion of many was a mistake. It runs in the background as a bulk action of its own.",
  "export.lead":
    "Use it to take data to a spreadsheet or a warehouse. It is written in the background: wait for `export.lead.completed`, then read `GET /export/{id}/download/`.",
  "export.opportunity": "Use it for a list of deals in a spreadsheet. It is written in the background, as that of leads is.",
  "organization.export": "Use it to keep or move the whole workspace; to work with some records, export those instead.",
  "organization_export.download": "Use it once the `status` of the archive is `done`.",
  "export.download": "Use it once the export's `status` is `done`.",
  "export.resume": "Use it after an export ended as failed and its cause is gone.",
  "import.create":
    "Use it to bring in a spreadsheet or a table from another system. The answer suggests a target for each column; `PUT /import/{id}/` with the `mapping` you want starts it. For a few records `POST /lead/` is simpler.",
  "import.presets": "Use it to offer fields when somebody maps the columns of a table.",
  "import.errors": "Use it after an import with failed rows: correct them in the same file, and import that.",
  "import.revert": "Use it when an import brought the wrong table. It runs in the background.",
  "import.rows": "Use it to see what became of single rows: what each created, what it updated, or why it failed.",
  "mailing_export.create":
    "Use it to hand an audience to Mailchimp, Customer.io, Klaviyo, Brevo or SendGrid, to a webhook of yours, or into a CSV file. It is pushed in the background, in batches, and can be resumed.",
  "mailing_export.platforms": "Use it to see which platforms are ready, and what each needs to be told before an export.",
  "mailing_export.cancel":
    "Use it to stop an export that goes to the wrong audience. Remove who has arrived at the platform itself.",
  "mailing_export.items": "Use it to find out who was left out, and why.",
  "mailing_export.resume": "Use it after the platform refused or was away, once that is mended.",
  "connected_account.authorize":
    "Use it to let a member connect their mailbox and calendar: open `url` in their browser. They come back to this service, which then has the account.",
  "credentials.list": "Use it to see what can be connected, what is, and which fields each service asks for.",
  "credentials.delete": "Use it to disconnect a service. What was fetched through it stays.",
  "credentials.update":
    "Use it to connect a service for the whole organization: telephony, a model, enrichment, a mailing platform. Secrets are stored sealed; a read shows at most their last characters.",
  "credentials.sync": "Use it after lists have changed at the platform and six hours are too long to wait.",
  "phone_number.create":
    "Use it to have a number to call and text from. `GET /phone_number/available/` shows what can be rented; an `external` one is somebody else's and is only noted.",
  "phone_number.available": "Use it to choose a number before it is rented by `POST /phone_number/`.",
  "port.close":
    "Use it to end a port that should not go on. With `phone_numbers` it begins one: the carrier that has the numbers is asked to hand them over.",
  "webhook_delivery.get":
    "Use it to find out why a delivery failed: each attempt has the status that your receiver answered, or the error.",
  "webhook.redeliver":
    "Use it after your receiver was away for longer than it is retried, or to repeat one delivery while you look for a mistake. Receivers tell repeated events by their `webhook-id`.",
  "webhook.rotate_secret":
    "Use it when the key may have leaked, or on a schedule. Your receiver has a day to change over, because both keys sign.",
  "webhook.test":
    "Use it to see whether your address can be reached and your check of the signature works, without waiting for a real event. `GET /webhook/{id}/delivery/{delivery_id}/` says after a moment what your receiver answered. The event has the fields of any other, and is not in `GET /event/`.",
  "event.stream":
    "Use it to follow what happens as it happens, from a program that keeps a connection open. It is the same feed as `GET /event/`; for a server that can be called, a webhook is less work.",
};

const reportPurposes: Record<string, string> = {
  "report.metrics": "Use it to learn which `metrics` the activity report can be asked for.",
  "report.activity": "Use it to compare members, or to see whether a team does more or less than before.",
  "report.aggregate":
    "Use it for a number that no ready-made report has: it takes the filters of a list and groups what they find.",
  "report.calls_funnel": "Use it to see how many dials it takes until somebody talks, and until a meeting is made.",
  "report.funnel": "Use it for the state of a pipeline now, with what was won and lost in a period.",
  "report.opportunity_funnels": "Use it to find the stage at which deals are lost, and how long they stay in each.",
  "report.sales": "Use it for the monthly review: it has what was won, what is expected, and what brought it.",
  "report.sent_emails": "Use it to compare templates by opens and replies.",
  "report.status_change_lead": "Use it to see how many leads became customers in a period, and by which way.",
  "report.status_change_opportunity": "Use it to see how deals moved between stages in a period.",
};

export const purposes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...activityPurposes,
    ...aiPurposes,
    ...automationPurposes,
    ...recordPurposes,
    ...workPurposes,
    ...reportPurposes,
  }),
);
