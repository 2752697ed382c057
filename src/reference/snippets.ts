// One request, written for curl, TypeScript and Python.

export interface Request {
  method: string;
  /** With its ids filled in, below `/api/v1`. */
  path: string;
  query: Record<string, string>;
  body: unknown;
  /** Its answer goes on, and is read as it comes. */
  lasts: boolean;
}

/** The request of a guide: `POST /lead/` and the body below it. Null if it is anything else. */
export function requestIn(text: string): Request | null {
  const [, method, path, sent = ""] = /^(GET|POST|PUT|DELETE) (\/\S*)\n?([^]*)$/.exec(text) ?? [];
  if (method === undefined) return null;
  try {
    return { method, path: path!, query: {}, body: sent.trim() === "" ? undefined : JSON.parse(sent), lasts: false };
  } catch {
    return null;
  }
}

export interface Snippet {
  language: string;
  label: string;
  text: string;
}

/** The request in each language. `api` is where the service is: `https://crm.example.com/api/v1`. */
export const snippetsOf = (request: Request, api: string): Snippet[] => [
  { language: "sh", label: "curl", text: curl(request, api) },
  { language: "ts", label: "TypeScript", text: typescript(request, api) },
  { language: "py", label: "Python", text: python(request, api) },
];

const addressOf = ({ path, query }: Request, api: string): string => {
  const search = new URLSearchParams(query).toString().replaceAll("%2C", ",");
  return `${api}${path}${search === "" ? "" : `?${search}`}`;
};

function curl(request: Request, api: string): string {
  const { method, body, lasts } = request;
  const usual = body === undefined ? "GET" : "POST";
  const options = [
    ...(method === usual ? [] : [`-X ${method}`]),
    "-u $HEADWATER_KEY:",
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${inSingle(jsonOf(body))}`]),
  ];
  const first = `curl ${lasts ? "-N " : ""}${quoted(addressOf(request, api))}`;
  return [first, ...options].join(" \\\n  ");
}

/** On one line if it is short. */
function jsonOf(value: unknown): string {
  const short = onOneLine(value);
  return short.length <= 60 ? short : JSON.stringify(value, null, 2);
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${onOneLine(one)}`)
    .join(", ")}}`;
}

const quoted = (address: string): string => (/[?&{$]/.test(address) ? `"${address}"` : address);
/** In single quotes of a shell. */
const inSingle = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function typescript(request: Request, api: string): string {
  const { method, body, lasts } = request;
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    `  headers: {`,
    "    authorization: `Bearer ${process.env.HEADWATER_KEY}`,",
    ...(body === undefined ? [] : [`    "content-type": "application/json",`]),
    ...(method === "POST" ? [`    "idempotency-key": crypto.randomUUID(),`] : []),
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(jsonOf(body))}),`]),
  ];
  const read = lasts
    ? "for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) console.log(piece);"
    : "console.log(await response.json());";
  return [
    `const response = await fetch("${addressOf(request, api)}", {`,
    ...options,
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    read,
  ].join("\n");
}

function python(request: Request, api: string): string {
  const { method, body, query, path, lasts } = request;
  const parts = [
    `    "${api}${path}",`,
    `    auth=(os.environ["HEADWATER_KEY"], ""),`,
    ...(Object.keys(query).length === 0 ? [] : [`    params=${pythonValue(query)},`]),
    ...(body === undefined ? [] : [`    json=${indented(pythonValue(body, 1))},`]),
    ...(method === "POST" ? [`    headers={"idempotency-key": str(uuid.uuid4())},`] : []),
    ...(lasts ? ["    stream=True,"] : []),
    "    timeout=30,",
  ];
  return [
    method === "POST" ? "import os\nimport uuid\n\nimport requests\n" : "import os\n\nimport requests\n",
    `response = requests.${method.toLowerCase()}(`,
    ...parts,
    ")",
    "response.raise_for_status()",
    lasts ? "for line in response.iter_lines(decode_unicode=True):\n    print(line)" : "print(response.json())",
  ].join("\n");
}

const indented = (text: string): string => text.replaceAll("\n", "\n  ");

/** JSON as Python writes it. */
function pythonValue(value: unknown, deep = 0): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = "  ".repeat(deep + 1);
  const list = Array.isArray(value);
  const lines = list
    ? value.map((one) => `${inner}${pythonValue(one, deep + 1)}`)
    : Object.entries(value as object).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${pythonValue(one, deep + 1)}`);
  const [open, close] = list ? "[]" : "{}";
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n${"  ".repeat(deep)}${close}`;
}
