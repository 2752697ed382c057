/** A refusal of the service. `message` is its sentence with the reasons by field; the rest is for programs. */
export class HeadwaterError extends Error {
  override name = "HeadwaterError";
  readonly status: number;
  /** What is wrong, by field: `{ "emails.0.email": "is not an e-mail address" }`. */
  readonly fieldErrors: Readonly<Record<string, string>>;
  /** Reasons with codes, where the operation has them, as publishing an automation does. */
  readonly errors: readonly Reason[];
  /** What the service's log calls this request. */
  readonly requestId: string | null;
  readonly response: Response;

  constructor(response: Response, body: unknown) {
    const { error, errors, "field-errors": fields } = (isObject(body) ? body : {}) as Partial<Refusal>;
    const reasons = Object.entries(fields ?? {}).map(([field, reason]) => `${field} ${reason}`);
    super([error ?? `The service answered ${response.status}`, ...reasons].join("; "));
    this.status = response.status;
    this.fieldErrors = fields ?? {};
    this.errors = errors ?? [];
    this.requestId = response.headers.get("x-request-id");
    this.response = response;
  }
}

export interface Reason {
  code: string;
  path: string;
  step_id: string | null;
  message: string;
  severity: "error" | "warning";
}

interface Refusal {
  error: string;
  errors: Reason[];
  "field-errors": Record<string, string>;
}

/** The refusal that an answer is. A proxy's page is one without words of ours. */
export async function refusalOf(response: Response): Promise<HeadwaterError> {
  const text = await response.text().catch(() => "");
  return new HeadwaterError(response, parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
