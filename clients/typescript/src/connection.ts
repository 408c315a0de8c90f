// Sends requests, again where that is safe, and reads streams.

import { InvalidInput, RecuerdoError } from "./errors.js";
import { EventReader, type ServerEvent } from "./events.js";
import { errorOf, errorOfConnection } from "./problems.js";
import type { Request } from "./requests.js";
import { Attempts } from "./retries.js";

export const VISITOR = "X-Recuerdo-Visitor";

/** Who asks, and for how long. */
export interface ClientOptions {
  /** A token of an issuer that the server accepts, or a function that returns one that is valid now. */
  token?: string | (() => string | Promise<string>);
  apiKey?: string;
  /** The user, where the server has no authentication. */
  user?: string;
  /** A visitor's token, to come back as the same visitor. */
  visitor?: string;
  /** Further headers of each request. */
  headers?: Record<string, string>;
  /** Milliseconds without a sign of life after which a request has failed: 120,000. */
  timeout?: number;
  /** Milliseconds for which a request is sent again where that is safe: 30,000; 0 turns it off. */
  retryFor?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** What connects to one server, for one caller. */
export class Connection {
  visitor: string | undefined;
  readonly #url: string;

  constructor(
    url: string,
    private readonly options: ClientOptions,
  ) {
    if (!isAddress(url)) throw InvalidInput.of("url", `must be like http://127.0.0.1:8080, and is ${JSON.stringify(url)}`);
    this.#url = url.replace(/\/+$/, "");
    this.visitor = options.visitor;
  }

  /** The answer to the request. Throws a RecuerdoError. */
  async send<T>(request: Request<T>): Promise<T> {
    const text = await this.receive(request);
    if (!text) return undefined as T;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new RecuerdoError(
        `The answer to ${request.method} ${request.target} can't be read. Check that the URL is a Recuerdo server's.`,
      );
    }
  }

  /** The text of the answer, as it is. Throws a RecuerdoError. */
  async receive<T>(request: Request<T>): Promise<string> {
    const attempts = this.attempts();
    for (;;) {
      try {
        return await this.#once(request);
      } catch (error) {
        await attempts.pauseAfter(error, request.repeatable);
      }
    }
  }

  /** The attempts at a request that begins now. */
  attempts(): Attempts {
    return new Attempts(this.options.retryFor ?? 30_000);
  }

  /** The events of one attempt, as they come. The reader also knows where the stream can be continued. */
  async *events<T>(request: Request<T>, reader: EventReader): AsyncGenerator<ServerEvent> {
    const patience = new Patience(this.options.timeout ?? 120_000);
    try {
      const response = await this.#fetch(request, patience);
      if (!response.ok) throw errorOf(response.status, response.headers, await this.#text(response));
      reader.note(response.headers);
      const pieces = response.body?.getReader();
      for (;;) {
        const piece = await pieces?.read().catch((failure: unknown) => {
          throw errorOfConnection(this.#url, failure);
        });
        if (piece === undefined || piece.done) return;
        patience.renew();
        yield* reader.feed(piece.value);
      }
    } finally {
      patience.end();
    }
  }

  async #once<T>(request: Request<T>): Promise<string> {
    const patience = new Patience(this.options.timeout ?? 120_000);
    try {
      const response = await this.#fetch(request, patience);
      const text = await this.#text(response);
      if (response.ok) return text;
      throw errorOf(response.status, response.headers, text);
    } finally {
      patience.end();
    }
  }

  async #fetch<T>(request: Request<T>, patience: Patience): Promise<Response> {
    const headers = { ...(await this.#callerHeaders()), ...request.headers };
    const ask = this.options.fetch ?? fetch;
    try {
      const response = await ask(this.#url + request.target, {
        method: request.method,
        headers,
        signal: patience.signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      this.visitor = response.headers.get(VISITOR) ?? this.visitor;
      return response;
    } catch (failure) {
      throw errorOfConnection(this.#url, failure);
    }
  }

  async #text(response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (failure) {
      throw errorOfConnection(this.#url, failure);
    }
  }

  async #callerHeaders(): Promise<Record<string, string>> {
    const { token, apiKey, user, headers } = this.options;
    const found: Record<string, string> = { ...headers };
    if (token !== undefined) found["Authorization"] = `Bearer ${typeof token === "function" ? await token() : token}`;
    if (apiKey !== undefined) found["X-Api-Key"] = apiKey;
    if (user !== undefined) found["X-Recuerdo-User"] = encodeURIComponent(user);
    if (this.visitor !== undefined) found[VISITOR] = this.visitor;
    return found;
  }
}

/** Whether requests can be sent there; in browsers an address may be relative to the page. */
function isAddress(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url, globalThis.location?.href).protocol);
  } catch {
    return false;
  }
}

/** Aborts a request after some milliseconds without a sign of life, and when its reader is done with it. */
class Patience {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly milliseconds: number) {
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error("the time limit was reached")), this.milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}
