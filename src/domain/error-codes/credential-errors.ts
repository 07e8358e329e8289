/** Errors of the configuration that concern tokens, keys and certificates. */
import { wording, type ErrorTable } from './error-entry.ts';

const TLS = {
  exit: 'refused',
  advice:
    '`temporal.tls`: `cert` without `key`, a key that belongs to another certificate, or a file that is not PEM',
} as const;

const PROFILE = {
  exit: 'refused',
  advice: '`temporal.profile`: the profile or its file cannot be read, or names no server',
} as const;

export const CREDENTIAL_ERRORS = {
  CONFIG_SECRET_MISSING: {
    exit: 'refused',
    advice: 'the variable is not set in this shell, or the file does not exist',
    texts: {
      variable: wording<{ key: string; variable: string }>(
        ({ key, variable }) => `${key}: the environment variable ${variable} is not set`,
        ({ key, variable }) => {
          const [service] = /^services\.\w+/.exec(key) ?? [];
          const ways = [`Set it (export ${variable}=…)`, `name another source under ${key}`];
          if (service !== undefined) ways.push(`remove ${service} if no row needs it`);
          return `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}.`;
        },
      ),
      file: wording<{ key: string; file: string }>(
        ({ key, file }) => `${key}: cannot read the file ${file}`,
        'Put only the token into that file, readable only by you.',
      ),
    },
  },
  CONFIG_MOLECULE_TOKEN: {
    exit: 'refused',
    advice: "the molecule service's token has exactly 10 characters",
    text: wording(
      'the token of the molecule service is not 10 characters long',
      'Use the 10-character identifier that the service issued to you.',
    ),
  },
  CONFIG_PAYLOAD_CODEC: {
    exit: 'refused',
    advice: '`temporal.payloadCodec`: the module cannot be loaded, or exports no `payloadCodec`',
    text: wording<{ module: string; reason: string }>(
      ({ module, reason }) => `temporal.payloadCodec: ${module}: ${reason}`,
      'Export a PayloadCodec of the Temporal SDK under the name payloadCodec (docs/cluster.md).',
    ),
  },
  CONFIG_TLS_INCOMPLETE: {
    ...TLS,
    text: wording<{ name: string; there: string; missing: string }>(
      ({ name, there, missing }) => `${name}: ${there} is set and ${missing} is not`,
      'Set both for mutual TLS, or neither.',
    ),
  },
  CONFIG_TLS_MISMATCH: {
    ...TLS,
    text: wording<{ name: string }>(
      ({ name }) => `${name}: key is not the private key of the first certificate in cert`,
      'Name the key that the certificate was issued for; in cert, the client certificate comes before its intermediates.',
    ),
  },
  CONFIG_TLS_INVALID: {
    ...TLS,
    texts: {
      certificate: wording<{ name: string }>(
        ({ name }) => `${name} contains no PEM certificate`,
        'The file must begin with -----BEGIN CERTIFICATE-----. Convert DER with: openssl x509 -inform der -in FILE',
      ),
      key: wording<{ name: string }>(
        ({ name }) => `${name} contains no PEM private key that can be read without a passphrase`,
        'Store the key unencrypted, readable only by you: openssl pkey -in FILE -out NEW_FILE',
      ),
    },
  },
  CONFIG_PROFILE_INVALID: {
    ...PROFILE,
    text: wording<{ name: string; reason: string }>(
      ({ name, reason }) => `temporal.profile: the profile ${name} cannot be read: ${reason}`,
      'Check the name, and the file of TEMPORAL_CONFIG_FILE (default: temporalio/temporal.toml in your configuration folder): temporal config list',
    ),
  },
  CONFIG_PROFILE_NO_ADDRESS: {
    ...PROFILE,
    text: wording<{ name: string }>(
      ({ name }) =>
        `temporal.profile: neither the profile ${name} nor TEMPORAL_ADDRESS names a server`,
      ({ name }) =>
        `Set it: temporal config set --profile ${name} --prop address --value HOST:PORT, or set temporal.address.`,
    ),
  },
  CONFIG_TLS_UNREADABLE: {
    exit: 'refused',
    advice:
      'a file under `tls` cannot be read, or is not PEM: paths are relative to the folder of the configuration',
    texts: {
      temporal: wording<{ name: string; path: string }>(
        ({ name, path }) => `${name}: cannot read ${path}`,
        'Check the paths of ca, cert and key; they are relative to the folder of the configuration file.',
      ),
      service: wording<{ name: string; path: string }>(
        ({ name, path }) => `${name}: cannot read ${path}`,
        'Check the path; it is relative to the folder of the configuration.',
      ),
      'not PEM': wording<{ name: string; path: string }>(
        ({ name, path }) => `${name}: ${path} has no certificate in PEM form`,
        'Use a file that contains "-----BEGIN CERTIFICATE-----".',
      ),
    },
  },
  CONFIG_TOKEN_OVER_HTTP: {
    exit: 'refused',
    advice:
      'use an `https` address, or set `allowHttp: true` if you trust the network to that machine',
    text: wording<{ key: string; recipient: string; encrypted: string }>(
      ({ key, recipient }) => `${key}.url: ${recipient} would receive the token unencrypted`,
      ({ key, encrypted }) =>
        `Write ${encrypted}. Only if you trust the network to that host, set ${key}.allowHttp: true.`,
    ),
  },
  CONFIG_HEADER_UNUSABLE: {
    exit: 'refused',
    advice: "a header's value must be one line, without control characters",
    text: wording<{ key: string }>(
      ({ key }) => `${key}: the value cannot be sent in a header`,
      'Check the variable or file: it must be one line without control characters.',
    ),
  },
  TOKEN_UNUSABLE: {
    exit: 'usage',
    advice: 'the token contains a character that is not allowed in a request, or is too long',
    text: wording<{ fault: string }>(
      ({ fault }) => `The token of the service ${fault}.`,
      'Check the variable or file that the config names for it.',
    ),
  },
} as const satisfies ErrorTable;
