import type { Headwater } from "./headwater.ts";
import type { components } from "./schema.d.ts";

type Field = components["schemas"]["custom_field"];

const kinds = ["lead", "contact", "opportunity"] as const;

/** A declaration file that gives `CustomFields` the fields of this workspace. */
export async function customFieldTypes(headwater: Headwater): Promise<string> {
  const declared: string[] = [];
  for (const kind of kinds) {
    const { fields } = await headwater.get("/custom_field_schema/", { query: { object_type: kind } });
    declared.push(`    ${kind}: {\n${fields.map(declaration).join("")}    };\n`);
  }
  return `// Written by \`npx @headwater/client types\`: write it anew when custom fields change.
import "@headwater/client";

declare module "@headwater/client" {
  interface CustomFields {
${declared.join("")}  }
}
`;
}

function declaration(field: Field): string {
  const type = typeOf(field);
  const said = field.name.replaceAll("*/", "* /").replaceAll(/\s+/g, " ");
  return `      /** ${said} */\n      "custom.${field.id}"?: ${field.accepts_multiple_values ? `(${type})[]` : type};\n`;
}

function typeOf({ type, choices }: Field): string {
  if (type === "number" || type === "boolean") return type;
  if (type === "choices" && choices !== null && choices.length > 0) return choices.map((one) => JSON.stringify(one)).join(" | ");
  // Dates, web addresses and the ids of members, contacts and custom objects.
  return "string";
}
