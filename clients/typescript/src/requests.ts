// Requests as they are sent: an operation of the server, with its ids and its values.

import { InvalidInput } from "./errors.js";

/** One request. `repeatable`: its effect is the same if it arrives twice, so that an unknown outcome can be retried. */
export interface Request<T> {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly repeatable: boolean;
  /** The type of a good answer; it has no value here. */
  readonly answer?: T;
}

/** How a request may be sent again: with an idempotency key, or because its effect is the same twice. */
export interface Repeating {
  key?: string;
  repeatable?: boolean;
}

/** Methods whose requests have a body even without values: operations that need none ignore it. */
const WITH_BODY = new Set(["PATCH", "POST", "PUT"]);

export type Operation<T> = (ids?: readonly (string | number)[], values?: object, repeating?: Repeating) => Request<T>;

/**
 * An operation of the OpenAPI document, as a function that makes a request of the ids in its path and of values.
 *
 * `query` names the values that are sent in the URL; the others are in the body, without those that are undefined.
 * `reads`: it changes nothing, whatever its method is.
 */
export function operation<T>(method: string, path: string, query: readonly string[], reads: boolean): Operation<T> {
  return (ids = [], values = {}, { key, repeatable = false } = {}) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams();
    for (const [name, value] of given.filter(([name]) => query.includes(name))) {
      for (const each of Array.isArray(value) ? value : [value]) search.append(name, text(each));
    }
    const body = given.filter(([name]) => !query.includes(name));
    const hasBody = body.length > 0 || WITH_BODY.has(method);
    const headers: Record<string, string> = {};
    if (hasBody) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    return {
      method,
      target: filled(path, ids) + (search.size > 0 ? `?${search}` : ""),
      headers,
      repeatable: reads || repeatable || key !== undefined,
      ...(hasBody ? { body: JSON.stringify(Object.fromEntries(body)) } : {}),
    };
  };
}

/** A value as URLs have it. */
function text(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function filled(path: string, ids: readonly (string | number)[]): string {
  let next = 0;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, String(ids[next++] ?? "")));
}

/** One part of a path, encoded. Clients and proxies resolve `.` and `..`, and would address something else. */
function segment(name: string, id: string): string {
  if (["", ".", ".."].includes(id)) throw InvalidInput.of(name, `must not be ${JSON.stringify(id)}: no URL can name it`);
  try {
    return encodeURIComponent(id);
  } catch (error) {
    if (error instanceof URIError) throw InvalidInput.of(name, "must be text that UTF-8 can encode");
    throw error;
  }
}
