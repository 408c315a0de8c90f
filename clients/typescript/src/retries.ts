// Whether a request is sent again, and when.

import { ModelUnavailable, OutcomeUnknown, Unavailable } from "./errors.js";

/** Milliseconds between two attempts, unless the server asks for more. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

/**
 * The attempts at one request, for so many milliseconds at most from its beginning or its last sign of life.
 *
 * An error that says that nothing was done is always followed by another attempt. If the outcome is unknown, only a
 * request that has the same effect twice is sent again: one that reads, or that has an idempotency key.
 */
export class Attempts {
  #deadline = 0;
  #pause = FIRST_PAUSE;

  constructor(private readonly milliseconds: number) {
    this.progressed();
  }

  /** Count anew: part of an answer has come. */
  progressed(): void {
    this.#deadline = performance.now() + this.milliseconds;
    this.#pause = FIRST_PAUSE;
  }

  /** Wait before the next attempt. Throws the error if there is none. */
  async pauseAfter(error: unknown, repeatable: boolean): Promise<void> {
    if (!(error instanceof Unavailable)) throw error;
    if ((error instanceof OutcomeUnknown || error instanceof ModelUnavailable) && !repeatable) throw error;
    const pause = Math.max(error.retryAfter * 1000, this.#pause * (0.5 + Math.random() / 2));
    if (performance.now() + pause > this.#deadline) throw error;
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
