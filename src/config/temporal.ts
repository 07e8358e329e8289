/** Address and credentials of Temporal: the keys under `temporal:`. Certificates and keys are checked before any connection uses them. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';
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
    throw new HundredfoldError(
      'CONFIG_TLS_INVALID',
      `temporal.tls: ${there} is set and ${missing} is not`,
      'Set both for mutual TLS, or neither.',
    );
  }
  const read = (key: 'ca' | 'cert' | 'key') => {
    const file = tls[key];
    return file === undefined ? undefined : readPem(`temporal.tls.${key}`, resolve(base, file));
  };
  const [ca, cert, key] = [read('ca'), read('cert'), read('key')];
  if (ca) parseCertificate('temporal.tls.ca', ca);
  if (cert && key) checkMatch(cert, key);
  return {
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
    ...(tls.serverName && { serverName: tls.serverName }),
  };
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_TLS_INVALID',
      `${name}: cannot read ${path}`,
      'Check the paths of ca, cert and key; they are relative to the folder of the configuration file.',
      { cause },
    );
  }
}

function parseCertificate(name: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_TLS_INVALID',
      `${name} contains no PEM certificate`,
      'The file must begin with -----BEGIN CERTIFICATE-----. Convert DER with: openssl x509 -inform der -in FILE',
      { cause },
    );
  }
}

function checkMatch(cert: string, key: string): void {
  const certificate = parseCertificate('temporal.tls.cert', cert);
  if (certificate.checkPrivateKey(parsePrivateKey('temporal.tls.key', key))) return;
  throw new HundredfoldError(
    'CONFIG_TLS_INVALID',
    'temporal.tls: key is not the private key of the first certificate in cert',
    'Name the key that the certificate was issued for; in cert, the client certificate comes before its intermediates.',
  );
}

function parsePrivateKey(name: string, pem: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_TLS_INVALID',
      `${name} contains no PEM private key that can be read without a passphrase`,
      'Store the key unencrypted, readable only by you: openssl pkey -in FILE -out NEW_FILE',
      { cause },
    );
  }
}
