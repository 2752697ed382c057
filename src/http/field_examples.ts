// Examples of fields, for the description: by its name a field tells which e-mail address, date or id it may hold.

type Json = Record<string, any>;

/** The prefix of the ids of a resource, if there is one of that name. */
export type PrefixOf = (resource: string) => string | undefined;

/** The end of all sample ids. */
export const sampleTail = "01kjp6w3mze8p9x2c4v7b5n1qd";
const moment = "2026-05-04T09:30:00.000Z";

/** What fields of these names hold, whatever record they are of; or, behind a resource and a dot, of that one. */
const usual: ReadonlyMap<string, unknown> = new Map(
  Object.entries({
    "lead.name": "Bluth Company",
    "lead.description": "Builds model homes.",
    "contact.name": "Gob Bluth",
    "contact.title": "President",
    "opportunity.value": 1200000,
    "opportunity.confidence": 80,
    "product.name": "Model home",
    "line_item.name": "Model home",
    "lead_status.label": "Qualified",
    "opportunity_status.label": "Proposal sent",
    "pipeline.name": "Sales",
    "activity_note.note": "There is always money in the banana stand.",
    "task.text": "Ask about the model home",
    "lead.url": "https://bluth.example",
    "contact.url": "https://bluth.example/people/gob",
    "lead.html_url": `https://crm.example.com/lead/lead_${sampleTail}/`,
    "contact.first_name": "Gob",
    "contact.last_name": "Bluth",
    "oauth_app.website_url": "https://planner.example",
    "webhook.url": "https://hooks.example.com/headwater",
    "webhook.events": ["lead.created", "opportunity.*"],
    lead_name: "Bluth Company",
    contact_name: "Gob Bluth",
    user_name: "Lucille Austero",
    owner_name: "Lucille Austero",
    created_by_name: "Lucille Austero",
    updated_by_name: "Lucille Austero",
    first_name: "Lucille",
    last_name: "Austero",
    status_label: "Qualified",
    pipeline_name: "Sales",
    phone: "+14155550132",
    phone_formatted: "+1 415-555-0132",
    country: "US",
    city: "Newport Beach",
    zipcode: "92660",
    address_1: "1 Lucille Way",
    subject: "Your model home",
    body_text: "Hello Gob, the plans are ready.",
    body_html: "<p>Hello Gob, the plans are ready.</p>",
    currency: "USD",
    value_currency: "USD",
    value_formatted: "$12,000.00",
    quantity: 4,
    unit_price: 24900,
    timezone: "America/Los_Angeles",
    content_type: "application/pdf",
    tags: ["real estate"],
  }),
);

const usualFor = (name: string, owner: string): unknown => usual.get(`${owner}.${name}`) ?? usual.get(name);

/** Gives each field an example whose name or form tells one. A schema with one of its own, or that lists its values, keeps it. */
export function withExamples(schema: Json, owner: string, prefixOf: PrefixOf): Json {
  const { properties } = schema;
  const own = properties && Object.entries<Json>(properties).map(([name, one]) => [name, exampled(name, one, owner, prefixOf)]);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "properties") return [key, Object.fromEntries(own!)];
      if (Array.isArray(value)) return [key, value.map((one) => (isSchema(one) ? withExamples(one, owner, prefixOf) : one))];
      return [key, key === "items" && isSchema(value) ? withExamples(value, owner, prefixOf) : value];
    }),
  );
}

const isSchema = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

function exampled(name: string, schema: Json, owner: string, prefixOf: PrefixOf): Json {
  const within = withExamples(schema, owner, prefixOf);
  const saysItself = ["example", "examples", "enum", "const", "default"].some((key) => key in schema);
  const value = saysItself ? undefined : exampleFor(name, schema, owner, prefixOf);
  return value === undefined ? within : { ...within, examples: [value] };
}

function exampleFor(name: string, schema: Json, owner: string, prefixOf: PrefixOf): unknown {
  const kind = kindOf(schema);
  if (kind === "string") {
    const id = idNamed(name, owner, prefixOf);
    if (id !== undefined) return id;
    const format = formsOf(schema).find((one) => one.format !== undefined)?.format;
    if (format === "date-time") return moment;
    if (format === "date") return moment.slice(0, 10);
    if (/^(user|sender|authorized)_email$/.test(name)) return "lucille@austero.example";
    if (/(^|_)email$/.test(name)) return "gob@bluth.example";
  }
  const known = usualFor(name, owner);
  return known !== undefined && fits(known, kind, schema) ? known : undefined;
}

const formsOf = (schema: Json): Json[] => schema.anyOf ?? [schema];

/** The type beside null. Undefined for several, or an object. */
function kindOf(schema: Json): string | undefined {
  const types = [
    ...new Set(
      formsOf(schema)
        .flatMap((one) => one.type ?? "any")
        .filter((one) => one !== "null"),
    ),
  ];
  return types.length === 1 && types[0] !== "any" && types[0] !== "object" ? types[0] : undefined;
}

function fits(value: unknown, kind: string | undefined, { minimum, maximum, items }: Json): boolean {
  if (kind === "string") return typeof value === "string";
  if (kind === "array") return Array.isArray(value) && items?.type === "string" && items.enum === undefined;
  if (kind !== "integer" && kind !== "number") return typeof value === kind;
  return typeof value === "number" && value >= (minimum ?? value) && value <= (maximum ?? value);
}

/** `id`, `lead_id`, `created_by`: an id of the resource that the name says. */
export function idNamed(name: string, owner: string, prefixOf: PrefixOf): string | undefined {
  if (name === "id") return idOf(prefixOf(owner));
  if (/^(created|updated|closed|sent)_by$|^(owner|assigned_to|user)(_id)?$/.test(name)) return idOf(prefixOf("user"));
  const [, resource] = /^(\w+?)_ids?$/.exec(name) ?? [];
  if (resource === undefined) return undefined;
  return idOf(prefixOf(resource) ?? prefixOf(`${owner}_${resource}`));
}

const idOf = (prefix: string | undefined) => (prefix === undefined ? undefined : `${prefix}_${sampleTail}`);
