/** Causes of a failed connection to a Temporal server: one coded error per cause, with a remedy. */
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import type { TlsMaterial } from '../config/pem.ts';

interface Asked {
  readonly address: string;
  /** The name required in the server's certificate. */
  readonly host: string;
  readonly tls: TlsMaterial;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
};

export function isNetwork(code: string | undefined): boolean {
  return code !== undefined && code in NETWORK;
}

export function unreachable(address: string, cause: NodeJS.ErrnoException): HundredfoldError {
  const why = NETWORK[cause.code ?? ''] ?? cause.message;
  return codedError(
    'TEMPORAL_UNREACHABLE',
    { case: 'network', address, reason: why, code: cause.code ?? 'no code' },
    cause,
  );
}

export function silent(address: string): HundredfoldError {
  return codedError('TEMPORAL_UNREACHABLE', { case: 'silent', address });
}

export function notTemporal(address: string): HundredfoldError {
  return codedError('TEMPORAL_NOT_GRPC', { address });
}

export function tlsRequired(address: string): HundredfoldError {
  return codedError('TEMPORAL_TLS_REQUIRED', { address });
}

export function plainText(address: string): HundredfoldError {
  return codedError('TEMPORAL_TLS_NOT_OFFERED', { address });
}

/** Codes of OpenSSL's verification, as Node reports them. */
const UNKNOWN_ISSUER = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

/** The server's alerts about our certificate (RFC 8446, 6.2). `certificate_required` alone: there was none. */
const ABOUT_OURS =
  /ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|DECRYPT_ERROR|HANDSHAKE_FAILURE)/;

/** An error about a wrong name includes the certificate. */
type TlsError = NodeJS.ErrnoException & { readonly cert?: { readonly subjectaltname?: string } };

/** null when the error does not show the cause. */
export function tlsErrorOf(error: TlsError, asked: Asked): HundredfoldError | null {
  const code = error.code ?? '';
  if (UNKNOWN_ISSUER.has(code)) return unknownIssuer(asked, error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return otherName(asked, error.cert?.subjectaltname ?? '', error);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return notValidNow(asked, code, error);
  if (ABOUT_OURS.test(code)) return clientCertificate(asked, error);
  return null;
}

function unknownIssuer({ address, tls }: Asked, cause: NodeJS.ErrnoException): HundredfoldError {
  const trusted = tls.ca
    ? 'none of the authorities in temporal.tls.ca'
    : 'no authority that the system knows';
  return codedError('TEMPORAL_TLS_UNKNOWN_CA', { address, trusted, code: cause.code ?? '' }, cause);
}

function otherName(
  { address, host }: Asked,
  names: string,
  cause: NodeJS.ErrnoException,
): HundredfoldError {
  const for_ = names === '' ? 'another name' : names.replaceAll('IP Address:', 'IP:');
  return codedError('TEMPORAL_TLS_SERVER_NAME', { address, names: for_, host }, cause);
}

function notValidNow(
  { address }: Asked,
  code: string,
  cause: NodeJS.ErrnoException,
): HundredfoldError {
  const why = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
  return codedError('TEMPORAL_TLS_EXPIRED', { address, fault: why }, cause);
}

/** @param cause null when the server closed the connection without an alert */
export function clientCertificate(
  { address, tls }: Asked,
  cause: NodeJS.ErrnoException | null,
): HundredfoldError {
  const alert = cause?.code ? ` (${cause.code.replace(/^ERR_SSL_/, '')})` : '';
  if (!tls.cert) {
    return codedError('TEMPORAL_TLS_CLIENT_MISSING', { address, alert }, cause ?? undefined);
  }
  return codedError('TEMPORAL_TLS_CLIENT_REFUSED', { address, alert }, cause ?? undefined);
}
