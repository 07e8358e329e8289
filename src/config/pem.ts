/** Certificates and keys of TLS: read from PEM files, and checked before any connection uses them. */
import { codedError } from '../domain/errors.ts';
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
 * Throws CONFIG_TLS_INCOMPLETE, CONFIG_TLS_UNREADABLE, CONFIG_TLS_INVALID or CONFIG_TLS_MISMATCH.
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
  throw codedError('CONFIG_TLS_INCOMPLETE', { name: what, there, missing });
}

function readPem(name: string, source: PemSource): string {
  if ('data' in source) return source.data;
  try {
    return readFileSync(source.path, 'utf8');
  } catch (cause) {
    throw codedError('CONFIG_TLS_UNREADABLE', { case: 'temporal', name, path: source.path }, cause);
  }
}

function certificateIn(name: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw codedError('CONFIG_TLS_INVALID', { case: 'certificate', name }, cause);
  }
}

function checkMatch(what: string, cert: string, key: string): void {
  const certificate = certificateIn(`${what}.cert`, cert);
  if (certificate.checkPrivateKey(privateKeyIn(`${what}.key`, key))) return;
  throw codedError('CONFIG_TLS_MISMATCH', { name: what });
}

function privateKeyIn(name: string, pem: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw codedError('CONFIG_TLS_INVALID', { case: 'key', name }, cause);
  }
}
