/** Address and credentials of Temporal: the keys under `temporal:`. Certificates and keys are checked before any connection uses them. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';
import { toReason } from '../domain/plain-text.ts';
import type { Config } from './schema.ts';
import { readSecret, type Secret, type SecretPlace } from './secret.ts';

/** Files are read once: a process that is to use new ones is restarted. */
export interface TemporalSettings {
  readonly apiKey: Secret | null;
  /** null: without TLS, unless there is an API key, which is never sent unencrypted. */
  readonly tls: TlsMaterial | null;
  readonly address: string;
  readonly namespace: string;
}

/** PEM texts. `cert` and `key` come together. */
export interface TlsMaterial {
  /** Certificates of the trusted authorities; default: those of the system. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name required in the server's certificate, if it is not the host of the address. */
  readonly serverName?: string;
}

/** null: the embedded server. Throws CONFIG_* with what to do. */
export function readTemporalSettings(
  temporal: Config['temporal'],
  place: SecretPlace,
): TemporalSettings | null {
  if (!temporal?.address) return null;
  const { address, namespace = 'default', apiKey, tls } = temporal;
  return {
    address,
    namespace,
    apiKey: apiKey ? readSecret('temporal.apiKey', apiKey, place) : null,
    tls: tls ? readTls(tls, place) : null,
  };
}

type TlsKeys = NonNullable<NonNullable<Config['temporal']>['tls']>;

/** Throws CONFIG_TLS_INVALID. */
function readTls(tls: TlsKeys, { base }: SecretPlace): TlsMaterial {
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    const [there, missing] = tls.cert ? ['cert', 'key'] : ['key', 'cert'];
    throw createTlsError(
      `temporal.tls: ${there} is set and ${missing} is not`,
      'Set both for mutual TLS, or neither.',
    );
  }
  const read = (key: keyof typeof PARTS) => {
    const file = tls[key];
    return file === undefined ? undefined : readPem(key, resolve(base, file));
  };
  const [ca, cert, key] = [read('ca'), read('cert'), read('key')];
  if (cert && key && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw createTlsError(
      'temporal.tls: key is not the private key of the first certificate in cert',
      'Name the key that the certificate was issued for; in cert, the client certificate comes before its intermediates.',
    );
  return {
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
    ...(tls.serverName && { serverName: tls.serverName }),
  };
}

const readCertificate = (pem: string): unknown => new X509Certificate(pem);

const PARTS = {
  ca: { what: 'a certificate', parse: readCertificate },
  cert: { what: 'a certificate', parse: readCertificate },
  key: { what: 'a private key without a passphrase', parse: createPrivateKey },
};

function readPem(key: keyof typeof PARTS, path: string): string {
  const { what, parse } = PARTS[key];
  try {
    const pem = readFileSync(path, 'utf8');
    parse(pem);
    return pem;
  } catch (cause) {
    throw createTlsError(
      `temporal.tls.${key}: ${path} cannot be read as ${what} in PEM (${toReason(cause)})`,
      'Paths are relative to the folder of the configuration file. To PEM: openssl x509 (or pkey) -in FILE -out NEW_FILE',
      cause,
    );
  }
}

function createTlsError(message: string, remedy: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError('CONFIG_TLS_INVALID', message, remedy, { cause });
}
