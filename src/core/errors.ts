// How an operation refuses: it throws a `Problem`. `below` says where it is; `collect` and `refuse` gather several reasons.
// `http/reply.ts` turns problems into answers.

export type FieldErrors = Record<string, string>;

/** A refusal that the caller can act on: a status, one sentence, a reason for each field. */
export class Problem extends Error {
  readonly status: number;
  readonly fields: FieldErrors;
  readonly headers: Record<string, string>;
  /** The reasons with their codes, where a program is to act on them. */
  errors?: readonly object[];

  constructor(status: number, message: string, fields: FieldErrors = {}, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.headers = headers;
  }
}

/** Every status with its default sentence. A test compares this table with the documentation in both directions. */
export const statuses: Record<number, string> = {
  400: "Validation failed",
  401: "Unauthorized",
  402: "Payment required",
  403: "You do not have permission to perform this action.",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "A request with this Idempotency-Key is still running",
  412: "The record has changed since it was read",
  422: "This Idempotency-Key was used with another body",
  429: "Too many requests",
  500: "Internal error",
  503: "Service unavailable",
};

/** 400: something the caller sent is wrong. `fields` maps a dotted place to a reason in small, plain words. */
export const invalid = (fields: FieldErrors, message = statuses[400]!): Problem => new Problem(400, message, fields);

/** Refuses a value whose place the function does not know. The caller adds the place with `below`. */
export function bad(reason: string): never {
  throw invalid({ "": reason });
}

/**
 * The reasons of a 400, by their places. Anything else is thrown again: a database that is away, or a missing permission, says
 * nothing about the input.
 */
export function reasonsOf(problem: unknown): FieldErrors {
  if (!(problem instanceof Problem) || problem.status !== 400 || Object.keys(problem.fields).length === 0) throw problem;
  return problem.fields;
}

/** Runs `act` and renames the places of what it refuses. */
export function placed<T>(placeOf: (inner: string) => string, act: () => T): T {
  return refusing(act, (reasons) => {
    throw invalid(Object.fromEntries(Object.entries(reasons).map(([inner, reason]) => [placeOf(inner), reason])));
  });
}

/** Runs `act` and puts the places of what it refuses below `place`; the place `""` becomes `place` itself. */
export const below = <T>(place: string, act: () => T): T => placed((inner) => (inner === "" ? place : `${place}.${inner}`), act);

/** Runs `act`. What it refuses is added to `errors`, and the result is undefined. */
export function collect<T>(errors: FieldErrors, act: () => T): T | undefined {
  return refusing<T | undefined>(act, (reasons) => void Object.assign(errors, reasons));
}

/** Throws a 400 if there are any errors. */
export function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

function refusing<T>(act: () => T, refused: (reasons: FieldErrors) => T): T {
  try {
    const done = act();
    return done instanceof Promise ? (done.catch((problem) => refused(reasonsOf(problem))) as T) : done;
  } catch (problem) {
    return refused(reasonsOf(problem));
  }
}

/** 404: does not exist, or may not be seen. The two answer the same bytes. */
export const notFound = (): Problem => new Problem(404, statuses[404]!);

/** 403: the caller's role may not. `permission` is one of the names a role can hold. */
export const notAllowed = (permission: string): Problem =>
  new Problem(403, `You do not have permission to perform this action: it needs ${permission}.`);

/** 403: a connection by OAuth may not, whatever its person may. */
export const outlasting = (): Problem =>
  new Problem(403, "An application that is connected by OAuth may not do this: it would outlast the connection. Use an API key.");

/** 401, with the challenge a client needs to try again. */
export const unauthorized = (challenge = 'Basic realm="api"'): Problem =>
  new Problem(401, statuses[401]!, {}, { "www-authenticate": challenge });

/** 402: the account is past due, or paid credits are used up. */
export const paymentRequired = (message = statuses[402]!): Problem => new Problem(402, message);

export const suspended = (): Problem => new Problem(403, "The operator of this service has suspended the organization.");

/** 409 and 422 are only for `Idempotency-Key`, 412 only for `If-Match`. */
export const conflict = (status: 409 | 412 | 422): Problem =>
  new Problem(status, statuses[status]!, {}, status === 409 ? { "retry-after": "1" } : {});

/** 503: a dependency is down, or the service sheds load. */
export const unavailable = (retryAfterSeconds = 1, message = statuses[503]!): Problem =>
  new Problem(503, message, {}, { "retry-after": String(retryAfterSeconds) });
