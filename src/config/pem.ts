/** Certificates and keys of TLS: read from PEM files, and checked before any connection uses them. */
import { HundredfoldError } from '../domain/errors.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Location of a certificate or a key. */
export type PemSource = { readonly path: string } | { readonly data: string };

/** Sources of one TLS configuration, as named in a file or a profile. */
export interface TlsSources {
  readonly ca?: PemSource | undefined;
  readonly cert?: PemSource | undefined;
  readonly key?: PemSource | undefined;
  readonly serverName?: string | undefined;
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

/**
 * @param what the part of the configuration, for messages
 * Throws CONFIG_TLS_INVALID.
 */
export function readTls(what: string, sources: TlsSources): TlsMaterial {
  const { serverName } = sources;
  checkPair(what, sources);
  const ca = sources.ca && readPem(`${what}.ca`, sources.ca);
  const cert = sources.cert && readPem(`${what}.cert`, sources.cert);
  const key = sources.key && readPem(`${what}.key`, sources.key);
  if (ca) certificateIn(`${what}.ca`, ca);
  if (cert && key) checkMatch(what, cert, key);
  return {
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
    ...(serverName && { serverName }),
  };
}

function checkPair(what: string, { cert, key }: TlsSources): void {
  if ((cert === undefined) === (key === undefined)) return;
  const [there, missing] = cert ? ['cert', 'key'] : ['key', 'cert'];
  throw new HundredfoldError(
    'CONFIG_TLS_INVALID',
    `${what}: ${there} is set and ${missing} is not`,
    'Set both for mutual TLS, or neither.',
  );
}

function readPem(name: string, source: PemSource): string {
  if ('data' in source) return source.data;
  try {
    return readFileSync(source.path, 'utf8');
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_TLS_INVALID',
      `${name}: cannot read ${source.path}`,
      'Check the paths of ca, cert and key; they are relative to the folder of the configuration file.',
      { cause },
    );
  }
}

function certificateIn(name: string, pem: string): X509Certificate {
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

function checkMatch(what: string, cert: string, key: string): void {
  const certificate = certificateIn(`${what}.cert`, cert);
  if (certificate.checkPrivateKey(privateKeyIn(`${what}.key`, key))) return;
  throw new HundredfoldError(
    'CONFIG_TLS_INVALID',
    `${what}: key is not the private key of the first certificate in cert`,
    'Name the key that the certificate was issued for; in cert, the client certificate comes before its intermediates.',
  );
}

function privateKeyIn(name: string, pem: string): ReturnType<typeof createPrivateKey> {
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
