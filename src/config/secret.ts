/**
 * A token, wrapped so that it cannot be printed by accident: it has to be revealed by name, at the one place
 * that puts it into a request (promise 6: no secret leaves).
 */
import { scryptSync } from 'node:crypto';
import { inspect } from 'node:util';

/** Where a secret is: a variable of the environment, or a file that holds it alone. */
export type SecretSource = { readonly env: string } | { readonly file: string };

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /**
   * Eight hex digits that tell credentials apart, the same on every machine. Slow on purpose (scrypt): users
   * choose their tokens themselves, and a plain hash of a short one could be guessed from a history.
   */
  fingerprint(): string {
    return scryptSync(this.#value, 'hundredfold credential', 4, { N: 2 ** 14 }).toString('hex');
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
