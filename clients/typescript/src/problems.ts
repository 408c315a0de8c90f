// The library's errors, from what a server answers and from what a connection does.

import { BY_CODE, ConfigurationError, Conflict, Forbidden, InvalidInput, NotFound, OutcomeUnknown } from "./errors.js";
import { RateLimited, RecuerdoError, Unauthenticated, Unavailable } from "./errors.js";

type ErrorClass = new (message: string, options?: ErrorOptions) => RecuerdoError;

/** For answers without a code: of a route that has none, of another version, or of a proxy in front of the server. */
const BY_STATUS: Record<number, ErrorClass> = {
  400: InvalidInput,
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: Conflict,
  412: Conflict,
  413: InvalidInput,
  421: Forbidden,
  422: InvalidInput,
  429: RateLimited,
  501: ConfigurationError,
  502: OutcomeUnknown,
  503: OutcomeUnknown,
  504: OutcomeUnknown,
};
const OF_SERVERS: Record<string, ErrorClass> = { overloaded: Unavailable, draining: Unavailable };
const LONGEST_DETAIL = 1000;
/** The codes of sockets that were never connected. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

interface Complaint {
  loc: (string | number)[];
  msg: string;
}

/** The error that a response tells. */
export function errorOf(status: number, headers: Headers, body: string): RecuerdoError {
  const problem = problemOf(body);
  if (Array.isArray(problem.detail)) return invalid(problem.detail as Complaint[], String(problem.message ?? ""));
  const code = typeof problem.code === "string" ? problem.code : "";
  const kind = BY_CODE[code] ?? OF_SERVERS[code] ?? BY_STATUS[status] ?? (status > 504 ? OutcomeUnknown : RecuerdoError);
  const text = typeof problem.detail === "string" ? problem.detail : body.slice(0, LONGEST_DETAIL);
  const error = new kind(text || `The server answered with the status ${status}.`);
  error.status = status;
  if (error instanceof Unavailable) error.retryAfter = seconds(headers.get("Retry-After"));
  return error;
}

/** The error of an `error` event: its data is a body with the status. */
export function errorOfEvent(problem: { status?: number }): RecuerdoError {
  return errorOf(problem.status ?? 500, new Headers(), JSON.stringify(problem));
}

/** The error of a connection that failed: nothing was sent, or it is unknown what became of it. */
export function errorOfConnection(url: string, failure: unknown): RecuerdoError {
  const cause = (failure as Error | undefined)?.cause;
  const codes = [failure, cause].map((each) => (each as { code?: string } | undefined)?.code);
  const reason = codes.find((code) => code !== undefined) ?? String(cause ?? failure);
  if (codes.some((code) => code !== undefined && NOT_SENT.has(code))) {
    return new Unavailable(`No server answers at ${url} (${reason}). Check the URL and that the server runs.`, {
      cause: failure,
    });
  }
  return new OutcomeUnknown(
    `The answer of ${url} did not arrive (${reason}). Whether it was stored is unknown: repeat it with its idempotency ` +
      "key to find out.",
    { cause: failure },
  );
}

function problemOf(body: string): { detail?: unknown; code?: unknown; message?: unknown } {
  try {
    const found: unknown = JSON.parse(body);
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

/** One complaint names its field; of several the first does, and all of them are told. */
function invalid(complaints: Complaint[], message: string): InvalidInput {
  const [first] = complaints;
  const place = (first?.loc ?? []).slice(1).map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`));
  const problem = complaints.length === 1 ? first?.msg : message;
  const error = InvalidInput.of(place.join("").replace(/^\./, "") || "request", problem || "is invalid");
  error.status = 422;
  return error;
}

/** A Retry-After in seconds; 0 without one. A date, which proxies may send, counts as none. */
function seconds(text: string | null): number {
  return text !== null && /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
}
