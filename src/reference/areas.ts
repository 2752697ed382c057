// The pages of the reference: which operations and resources are on which page, and which pages belong together.

export interface PageOfResources {
  /** Its place in addresses, and the name of the resource that it is about. */
  name: string;
  title: string;
  /** The names before the dot of all operations on it. */
  parts: readonly string[];
}

export interface Area {
  title: string;
  pages: readonly PageOfResources[];
}

const page = (title: string, name: string, ...more: string[]): PageOfResources => ({ name, title, parts: [name, ...more] });
const area = (title: string, ...pages: PageOfResources[]): Area => ({ title, pages });

export const areas: readonly Area[] = [
  area(
    "Leads and contacts",
    page("Leads", "lead"),
    page("Lead statuses", "lead_status"),
    page("Lead lists", "lead_list"),
    page("Lead tags", "lead_tag"),
    page("Contacts", "contact"),
    page("Contact lists", "contact_list"),
    page("Contact tags", "contact_tag"),
    page("Sharing of contacts", "share_bulk"),
    page("Erasures", "erasure"),
    page("Enrichment", "enrichment"),
  ),
  area(
    "Deals",
    page("Opportunities", "opportunity"),
    page("Line items", "line_item"),
    page("Pipelines", "pipeline"),
    page("Opportunity statuses", "opportunity_status"),
    page("Products", "product"),
    page("Quotes", "quote"),
    page("Goals", "goal"),
  ),
  area(
    "Tasks and projects",
    page("Tasks", "task"),
    page("Projects", "project"),
    page("Project tasks", "project_task"),
    page("Comments", "comment", "comment_thread"),
    page("Notifications", "notification"),
  ),
  area(
    "Activities",
    page("All activities", "activity"),
    page("Notes", "activity_note"),
    page("Calls", "activity_call", "call"),
    page("Emails", "activity_email"),
    page("Email threads", "activity_email_thread"),
    page("Texts (SMS)", "activity_sms"),
    page("Channel messages", "activity_channel_message"),
    page("Meetings", "activity_meeting"),
    page("Custom activities", "activity_custom_activity"),
    page(
      "Recorded changes",
      "activity_created",
      "activity_lead_status_change",
      "activity_opportunity_status_change",
      "activity_task_completed",
    ),
  ),
  area(
    "Mail, texts and calls",
    page("Conversations", "conversation"),
    page("Inbox folders", "inbox_folder"),
    page("Inbox rules", "inbox_rule"),
    page("Prospects", "inbox_prospect"),
    page("Connected accounts", "connected_account"),
    page("Send as", "send_as"),
    page("Email templates", "email_template"),
    page("SMS templates", "sms_template"),
    page("Phone numbers", "phone_number"),
    page("Number ports", "port"),
    page("Dialers", "dialer"),
  ),
  area(
    "Sequences and automations",
    page("Sequences", "sequence"),
    page("Sequence subscriptions", "sequence_subscription"),
    page("Automations", "automations", "automation_schema"),
    page("Automation runs", "automation_run"),
    page("Automation events", "automation_event"),
    page("Automation catalogs", "automation_trigger_types", "automation_condition_types", "automation_step_types"),
    page("Simple automations", "automation"),
  ),
  area("Search, reports and AI", page("Search", "data"), page("Reports", "report"), page("AI helpers", "ai")),
  area(
    "Many records at once",
    page("Imports", "import"),
    page("Exports", "export"),
    page("Mailing exports", "mailing_export"),
    page("Bulk actions", "bulk_action", "bulk_action_item"),
    page("Change sets", "change_set"),
  ),
  area("Files", page("Files", "file"), page("File subtypes", "file_subtype")),
  area(
    "Custom data",
    page("Custom fields", "custom_field", "custom_field_schema"),
    page("Custom activity types", "custom_activity_type"),
    page("Custom object types", "custom_object_type"),
    page("Custom objects", "custom_object"),
  ),
  area("Events", page("Events", "event"), page("Webhooks", "webhook", "webhook_delivery")),
  area(
    "Workspace and access",
    page("Me", "me"),
    page("Users", "user"),
    page("Organizations", "organization"),
    page("Archives of a workspace", "organization_export"),
    page("Memberships", "membership"),
    page("Roles", "role"),
    page("Groups", "group"),
    page("API keys", "api_key"),
    page("OAuth applications", "oauth_app"),
    page("Credentials", "credentials"),
    page("Budgets of agents", "budget"),
    page("Calls of agents", "agent_call"),
  ),
];

const byPart = new Map(areas.flatMap((one) => one.pages.flatMap((page) => page.parts.map((part) => [part, page] as const))));

/** The page of an operation, by its name. */
export const pageOf = (operation: string): PageOfResources | undefined => byPart.get(operation.slice(0, operation.indexOf(".")));

/** The page of a resource, by its name; undefined for one that is shown only within others. */
export const pageOfResource = (name: string): PageOfResources | undefined => byPart.get(name);

const byName = new Map(areas.flatMap((one) => one.pages.map((page) => [page.name, page] as const)));

export const pageNamed = (name: string): PageOfResources | undefined => byName.get(name);
