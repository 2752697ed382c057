// The fields that a column can be mapped to, with the names that files have for them.
import { objectTypes } from "./import.ts";

interface More {
  multiple?: boolean;
  required?: boolean;
  /** Names that mean it only in a table of its own kind: the `Amount` of a deal. */
  own?: string[];
}

export type Line = [target: string, label: string, type: string, aliases?: string[], more?: More];

const created = ["date_created", "create_date", "created_date", "created_at", "created", "created_on"];

const several = { multiple: true };

const lead: Line[] = [
  ["id", "Lead id", "id", ["lead_id"]],
  [
    "name",
    "Company",
    "text",
    [
      "company",
      "company_name",
      "account",
      "account_name",
      "company_account",
      "organization",
      "organization_name",
      "person_organization",
      "deal_organization",
      "associated_company",
      "organisation",
      "organisation_name",
      "organization_1_name",
      "firma",
      "unternehmen",
      "lead",
      "lead_name",
      "display_name",
      "business",
    ],
  ],
  [
    "url",
    "Website",
    "url",
    ["website", "website_url", "company_domain_name", "organization_website", "web", "domain", "homepage", "company_url"],
  ],
  ["description", "Description", "text", ["about", "summary"]],
  ["industry", "Industry", "text", ["sector", "branch"]],
  ["status", "Lead status", "text", ["lead_status", "status_id", "status_label", "stage"], several],
  [
    "owner",
    "Owner",
    "user",
    [
      "owner_id",
      "lead_owner",
      "account_owner",
      "contact_owner",
      "company_owner",
      "organization_owner",
      "person_owner",
      "sales_rep",
      "assigned_to",
    ],
  ],
  ["mrr", "Monthly recurring revenue", "money", ["monthly_recurring_revenue"]],
  ["email", "Company e-mail", "email", ["company_email", "office_email", "emails"], several],
  ["phone", "Company phone", "phone", ["company_phone", "office_phone", "main_phone", "organization_phone", "phones"], several],
  [
    "address_1",
    "Address",
    "text",
    [
      "address",
      "street",
      "straße",
      "strasse",
      "street_address",
      "address_line_1",
      "billing_street",
      "mailing_street",
      "organization_address",
      "primary_address_1",
      "primary_address_address_1",
    ],
  ],
  ["address_2", "Address, second line", "text", ["address_line_2", "suite", "primary_address_2", "primary_address_address_2"]],
  ["city", "City", "text", ["town", "ort", "stadt", "billing_city", "mailing_city", "primary_address_city"]],
  [
    "state",
    "State",
    "text",
    [
      "province",
      "region",
      "state_region",
      "state_province",
      "billing_state",
      "billing_state_province",
      "mailing_state",
      "mailing_state_province",
      "primary_address_state",
    ],
  ],
  [
    "zipcode",
    "Postal code",
    "text",
    [
      "zip",
      "zip_code",
      "postal_code",
      "postcode",
      "plz",
      "billing_postal_code",
      "billing_zip_postal_code",
      "mailing_postal_code",
      "mailing_zip_postal_code",
      "zip_postal_code",
      "primary_address_zipcode",
    ],
  ],
  [
    "country",
    "Country",
    "country",
    ["country_code", "country_region", "billing_country", "mailing_country", "primary_address_country"],
  ],
  ["addresses", "Addresses as JSON has them", "addresses", [], several],
  ["tags", "Lead tags", "texts", ["tag", "labels"], several],
  ["date_created", "Lead created", "datetime", ["organization_created"], { own: created }],
];

const contact: Line[] = [
  ["contact.id", "Contact id", "id", ["contact_id"]],
  [
    "contact.name",
    "Contact name",
    "text",
    ["contact", "full_name", "person", "person_name", "contact_full_name", "primary_contact_name", "deal_contact_person"],
  ],
  ["contact.first_name", "First name", "text", ["given_name", "firstname", "person_first_name", "vorname"]],
  ["contact.last_name", "Last name", "text", ["surname", "family_name", "lastname", "person_last_name", "nachname"]],
  ["contact.title", "Title", "text", ["job_title", "position", "role", "person_job_title", "primary_contact_title"]],
  [
    "contact.email",
    "E-mail",
    "email",
    [
      "email",
      "email_address",
      "e_mail_1_value",
      "e_mail_2_value",
      "mail",
      "work_email",
      "contact_email",
      "person_email",
      "person_email_work",
      "person_email_home",
      "person_email_other",
      "primary_email",
      "home_email",
      "private_email",
      "business_email",
      "other_emails",
      "primary_contact_email",
      "primary_contact_primary_email",
      "primary_contact_other_emails",
      "emails",
    ],
    several,
  ],
  [
    "contact.phone",
    "Phone",
    "phone",
    [
      "phone",
      "phone_number",
      "phone_1_value",
      "phone_2_value",
      "telefon",
      "mobile",
      "mobile_phone",
      "mobile_phone_number",
      "cell",
      "cell_phone",
      "home_phone",
      "work_phone",
      "business_phone",
      "direct_phone",
      "other_phone",
      "fax",
      "fax_number",
      "telephone",
      "contact_phone",
      "person_phone",
      "person_phone_work",
      "person_phone_home",
      "person_phone_mobile",
      "person_phone_other",
      "primary_phone",
      "other_phones",
      "primary_contact_phone",
      "primary_contact_primary_phone",
      "primary_contact_other_phones",
      "phones",
    ],
    several,
  ],
  [
    "contact.url",
    "Contact's web address",
    "url",
    ["linkedin", "linkedin_url", "linkedin_bio", "profile", "urls", "primary_url", "other_urls"],
    several,
  ],
  ["contact.contacts", "People as JSON has them", "contacts", ["people"], several],
  ["contact.tags", "Contact tags", "texts", ["contact_tag", "person_label"], several],
  ["contact.date_created", "Contact created", "datetime", ["person_created"], { own: created }],
];

const opportunity: Line[] = [
  ["opportunity.id", "Opportunity id", "id", ["opportunity_id", "deal_id"]],
  ["opportunity.value", "Deal value", "money", ["deal_value", "deal_amount"], { own: ["amount", "value"] }],
  [
    "opportunity.currency",
    "Deal currency",
    "currency",
    ["deal_currency_code", "currency_of_value", "deal_currency_of_value", "opportunity_currency"],
    { own: ["currency", "value_currency", "currency_code", "currency_iso_code", "amount_currency"] },
  ],
  ["opportunity.value_period", "Deal value period", "text", ["billing_period"], { own: ["period", "value_period"] }],
  [
    "opportunity.status",
    "Opportunity status",
    "text",
    ["deal_stage", "opportunity_stage", "deal_status"],
    { own: ["stage", "status_label", "status", "status_type"], multiple: true },
  ],
  [
    "opportunity.pipeline",
    "Deal pipeline",
    "text",
    ["deal_pipeline", "opportunity_pipeline", "sales_pipeline"],
    { own: ["pipeline", "pipeline_name"] },
  ],
  ["opportunity.confidence", "Deal confidence", "integer", ["deal_probability"], { own: ["probability", "confidence"] }],
  [
    "opportunity.note",
    "Opportunity note",
    "text",
    ["deal_note", "deal_name", "deal_title", "opportunity_name", "deal", "deal_description"],
    { own: ["note", "description"] },
  ],
  ["opportunity.close_date", "Close date", "date", ["deal_close_date", "closing_date", "closed_date", "deal_closed_on"]],
  ["opportunity.expected_close_date", "Expected close date", "date", ["deal_expected_close_date"]],
  ["opportunity.date_won", "Won on", "date", ["date_won", "won_date", "won_time", "deal_won_time"]],
  ["opportunity.date_lost", "Lost at", "datetime", ["date_lost", "lost_date", "lost_time", "deal_lost_time"]],
  [
    "opportunity.date_created",
    "Opportunity created",
    "datetime",
    ["deal_created", "deal_deal_created", "deal_create_date"],
    { own: created },
  ],
  ["opportunity.user_id", "Opportunity owner", "user", ["deal_owner", "opportunity_owner"]],
  ["opportunity.contact_id", "Opportunity's contact, by id", "id", ["deal_contact_id"]],
];

const note: Line[] = [["note", "Note", "text", ["notes", "comment", "comments", "remarks"], several]];

const product: Line[] = [
  ["product.name", "Product name", "text", ["name", "product", "title"], { required: true }],
  ["product.code", "Code", "text", ["sku", "code", "product_code", "article_number"]],
  ["product.description", "Description", "text", ["description"]],
  ["product.category", "Category", "text", ["category"]],
  ["product.unit", "Unit", "text", ["unit"]],
  ["product.unit_price", "Unit price", "money", ["price", "unit_price", "list_price"]],
  ["product.cost", "Cost", "money", ["cost"]],
  ["product.currency", "Currency", "currency", ["currency_code"]],
  ["product.tax_percent", "Tax in percent", "number", ["tax", "vat", "tax_rate"]],
];

const task: Line[] = [
  ["task.text", "What has to be done", "text", ["text", "task", "subject", "todo", "description"], { required: true }],
  ["task.date", "Due date", "date", ["date", "due", "due_date", "deadline"]],
  ["task.assigned_to", "Assignee", "user", ["assignee", "assigned_to", "owner"]],
  ["task.priority", "Priority", "text", ["priority"]],
  ["task.is_complete", "Done", "boolean", ["done", "completed", "is_complete"]],
  ["id", "Lead id", "id", ["lead_id"]],
  ["name", "Company", "text", ["company", "lead", "lead_name", "account"]],
  ["contact.email", "Contact's e-mail", "email", ["email", "email_address"]],
];

/** What is listed: the kinds of import, and parts of a row that are no kind of their own. */
export const targetTypes = [...objectTypes, "activity"] as const;

/** For each kind of import, its rows with the kind of record they belong to. The kind's own come first. */
export const lines: Record<(typeof targetTypes)[number], readonly (readonly [string, Line[]])[]> = {
  lead: [
    ["lead", lead],
    ["contact", contact],
    ["opportunity", opportunity],
    ["activity", note],
  ],
  contact: [
    ["contact", contact],
    ["lead", lead],
    ["opportunity", opportunity],
    ["activity", note],
  ],
  opportunity: [
    ["opportunity", opportunity],
    ["lead", lead],
    ["contact", contact],
    ["activity", note],
  ],
  product: [["product", product]],
  task: [["task", task]],
  activity: [["activity", note]],
};
