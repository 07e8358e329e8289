/**
 * A token, wrapped so that it cannot be printed by accident: it must be revealed explicitly, at the one place that puts
 * it into a request (promise 6: no secret leaves).
 */
import { HundredfoldError } from '../domain/errors.ts';
import { scryptSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { warn } from '../program.ts';

/** The source of a secret: an environment variable, or a file that contains only the secret. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** Where secrets are looked up. */
export interface SecretPlace {
  readonly environment: NodeJS.ProcessEnv;
  /** Folder that file names are relative to. */
  readonly base: string;
}

/** Read permission of group and others. */
const OTHERS_READ = 0o044;

/** Where Compose and Swarm mount secrets: the engine chooses the mode, and only this container sees the mount. */
const MOUNTED = '/run/secrets/';

/** Warns about a file that other users can read. Throws the system's error. */
function readSecretFile(path: string): Secret {
  const secret = new Secret(readFileSync(path, 'utf8').trim());
  if (canOthersRead(path))
    warn(`other users of this machine can read the secret in ${path}: chmod 600 '${path}'`);
  return secret;
}

function canOthersRead(path: string): boolean {
  if (process.platform === 'win32' || path.startsWith(MOUNTED)) return false;
  return (statSync(path).mode & OTHERS_READ) !== 0;
}

export class Secret {
  readonly #value: string;
  #fingerprint: string | null = null;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /**
   * Eight hex digits that distinguish credentials, the same on every machine. Slow on purpose (scrypt, 60 ms):
   * users choose their tokens themselves, and a short one could be guessed from a plain hash in a history.
   */
  fingerprint(): string {
    this.#fingerprint ??= scryptSync(this.#value, 'hundredfold credential', 4, {
      N: 2 ** 14,
    }).toString('hex');
    return this.#fingerprint;
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

/**
 * @param key of the configuration, for messages
 * @param place where variables and files are looked up
 * Throws CONFIG_SECRET_MISSING.
 */
export function readSecret(
  key: string,
  source: SecretSource,
  { environment, base }: SecretPlace,
): Secret {
  if ('env' in source) {
    const value = environment[source.env];
    if (value) return new Secret(value);
    const [service] = /^services\.\w+/.exec(key) ?? [];
    throw new HundredfoldError(
      'CONFIG_SECRET_MISSING',
      `${key}: the environment variable ${source.env} is not set`,
      service === undefined
        ? `Set it (export ${source.env}=…), or name another source under ${key}.`
        : `Set it (export ${source.env}=…), name another source under ${key}, or remove ${service} if no row needs it.`,
    );
  }
  try {
    return readSecretFile(resolve(base, source.file));
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_SECRET_MISSING',
      `${key}: cannot read the file ${source.file}`,
      'Put only the token into that file, readable only by you.',
      { cause },
    );
  }
}
