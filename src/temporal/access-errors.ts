/** Causes of a failed connection to a Temporal server: one coded error per cause, with a remedy. */
import { HundredfoldError } from '../domain/errors.ts';
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
  return new HundredfoldError({
    code: 'TEMPORAL_UNREACHABLE',
    message: `cannot reach Temporal at ${address}: ${why} (${cause.code ?? 'no code'})`,
    remedy: 'Check temporal.address, and that the server runs and its port is open to this host.',
    cause,
  });
}

export function silent(address: string): HundredfoldError {
  return new HundredfoldError({
    code: 'TEMPORAL_UNREACHABLE',
    message: `cannot reach Temporal at ${address}: the port is open, but nothing answers`,
    remedy:
      'The server may be starting or overloaded, or a firewall holds the connection: try again.',
  });
}

export function notTemporal(address: string): HundredfoldError {
  return new HundredfoldError({
    code: 'TEMPORAL_NOT_GRPC',
    message: `${address} answers as a web server, not as a Temporal frontend`,
    remedy:
      'Use the gRPC port of the frontend (usually 7233); 8080 and 8233 are usually ports of the web UI.',
  });
}

export function tlsRequired(address: string): HundredfoldError {
  return new HundredfoldError({
    code: 'TEMPORAL_TLS_REQUIRED',
    message: `Temporal at ${address} expects TLS, and the connection was in plain text`,
    remedy:
      "Set temporal.tls: {} for the system's certificates, or temporal.tls.ca for an authority of your own.",
  });
}

export function plainText(address: string): HundredfoldError {
  return new HundredfoldError({
    code: 'TEMPORAL_TLS_NOT_OFFERED',
    message: `Temporal at ${address} speaks plain text, and the connection was made with TLS`,
    remedy:
      'Remove temporal.tls (an API key also enables TLS), or use the port on which the server offers TLS.',
  });
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
  return new HundredfoldError({
    code: 'TEMPORAL_TLS_UNKNOWN_CA',
    message: `the certificate of Temporal at ${address} was issued by ${trusted} (${cause.code ?? ''})`,
    remedy:
      'Set temporal.tls.ca to the PEM file of the authority that issued it; ask the administrator of the server.',
    cause,
  });
}

function otherName(
  { address, host }: Asked,
  names: string,
  cause: NodeJS.ErrnoException,
): HundredfoldError {
  const for_ = names === '' ? 'another name' : names.replaceAll('IP Address:', 'IP:');
  return new HundredfoldError({
    code: 'TEMPORAL_TLS_SERVER_NAME',
    message: `the certificate of Temporal at ${address} is for ${for_}, not for ${host}`,
    remedy:
      'Use one of these names in temporal.address, or set temporal.tls.serverName to one of them.',
    cause,
  });
}

function notValidNow(
  { address }: Asked,
  code: string,
  cause: NodeJS.ErrnoException,
): HundredfoldError {
  const why = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
  return new HundredfoldError({
    code: 'TEMPORAL_TLS_EXPIRED',
    message: `the certificate of Temporal at ${address} ${why}`,
    remedy: 'Ask the administrator of the server to renew it, and check the clock of this machine.',
    cause,
  });
}

/** @param cause null when the server closed the connection without an alert */
export function clientCertificate(
  { address, tls }: Asked,
  cause: NodeJS.ErrnoException | null,
): HundredfoldError {
  const alert = cause?.code ? ` (${cause.code.replace(/^ERR_SSL_/, '')})` : '';
  const details = cause ? { cause } : {};
  if (!tls.cert) {
    return new HundredfoldError({
      code: 'TEMPORAL_TLS_CLIENT_MISSING',
      message: `Temporal at ${address} requires a client certificate, and none is configured${alert}`,
      remedy: 'Set temporal.tls.cert and temporal.tls.key (mutual TLS).',
      ...details,
    });
  }
  return new HundredfoldError({
    code: 'TEMPORAL_TLS_CLIENT_REFUSED',
    message: `Temporal at ${address} refuses the client certificate of temporal.tls.cert${alert}`,
    remedy:
      'Check that it has not expired (openssl x509 -noout -dates -issuer -in FILE) and that the server trusts its issuer; cert must hold its intermediates too.',
    ...details,
  });
}
