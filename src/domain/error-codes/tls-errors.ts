/** Errors of TLS between this machine and a Temporal server. The table is in docs/operations.md. */
import { wording, type ErrorTable } from './error-entry.ts';

const ONE_SIDE = {
  exit: 'usage',
  advice: 'one side uses TLS and the other does not: set or remove `temporal.tls`',
} as const;

const CLIENT = {
  exit: 'usage',
  advice:
    '`temporal.tls.cert` and `.key`: missing, expired, or from an issuer that the server does not trust',
} as const;

export const TLS_ERRORS = {
  TEMPORAL_TLS_REQUIRED: {
    ...ONE_SIDE,
    text: wording<{ address: string }>(
      ({ address }) => `Temporal at ${address} expects TLS, but the connection was in plain text`,
      "Set temporal.tls: {} for the system's certificates, or temporal.tls.ca for an authority of your own.",
    ),
  },
  TEMPORAL_TLS_NOT_OFFERED: {
    ...ONE_SIDE,
    text: wording<{ address: string }>(
      ({ address }) =>
        `Temporal at ${address} does not use TLS, but the connection was made with TLS`,
      'Remove temporal.tls (an API key also enables TLS), or use the port on which the server offers TLS.',
    ),
  },
  TEMPORAL_TLS_UNKNOWN_CA: {
    exit: 'usage',
    advice: "set `temporal.tls.ca` to the authority that issued the server's certificate",
    text: wording<{ address: string; trusted: string; code: string }>(
      ({ address, trusted, code }) =>
        `the certificate of Temporal at ${address} was issued by ${trusted} (${code})`,
      'Set temporal.tls.ca to the PEM file of the authority that issued it; ask the administrator of the server.',
    ),
  },
  TEMPORAL_TLS_SERVER_NAME: {
    exit: 'usage',
    advice: 'set `temporal.tls.serverName` to one of the names in the message',
    text: wording<{ address: string; names: string; host: string }>(
      ({ address, names, host }) =>
        `the certificate of Temporal at ${address} is for ${names}, not for ${host}`,
      'Use one of these names in temporal.address, or set temporal.tls.serverName to one of them.',
    ),
  },
  TEMPORAL_TLS_ADDRESS: {
    exit: 'usage',
    advice: 'set `temporal.tls.serverName`: from Node 26 on, TLS to an address needs a name',
    text: wording<{ address: string }>(
      ({ address }) =>
        `Temporal at ${address} was not reached: for TLS, Node 26 and newer need the name of a server whose address is a number`,
      "Use a name in temporal.address, or set temporal.tls.serverName to one in the server's certificate.",
    ),
  },
  TEMPORAL_TLS_EXPIRED: {
    exit: 'usage',
    advice: 'renew the certificate of the server, or correct the clock of this machine',
    text: wording<{ address: string; fault: string }>(
      ({ address, fault }) => `the certificate of Temporal at ${address} ${fault}`,
      'Ask the administrator of the server to renew it, and check the clock of this machine.',
    ),
  },
  TEMPORAL_TLS_CLIENT_MISSING: {
    ...CLIENT,
    text: wording<{ address: string; alert: string }>(
      ({ address, alert }) =>
        `Temporal at ${address} requires a client certificate, and none is configured${alert}`,
      'Set temporal.tls.cert and temporal.tls.key (mutual TLS).',
    ),
  },
  TEMPORAL_TLS_CLIENT_REFUSED: {
    ...CLIENT,
    text: wording<{ address: string; alert: string }>(
      ({ address, alert }) =>
        `Temporal at ${address} refuses the client certificate of temporal.tls.cert${alert}`,
      'Check that it has not expired (openssl x509 -noout -dates -issuer -in FILE) and that the server trusts its issuer; cert must hold its intermediates too.',
    ),
  },
} as const satisfies ErrorTable;
