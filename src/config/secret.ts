/**
 * A token, wrapped so that it cannot be printed by accident: it has to be revealed by name, at the one place
 * that puts it into a request (promise 6: no secret leaves).
 */
import { scryptSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { inspect } from 'node:util';
import { warn } from '../state/warn.ts';

/** Where a secret is: a variable of the environment, or a file that holds it alone. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** Read permission of group and others. */
const OTHERS_READ = 0o044;

/** Warns about a file that other users can read. Throws what the system throws. */
export function readSecretFile(path: string): Secret {
  const secret = new Secret(readFileSync(path, 'utf8').trim());
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_READ) !== 0)
    warn(`other users of this machine can read the secret in ${path}: chmod 600 '${path}'`);
  return secret;
}

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
