/** Errors of the configuration, the environment and what they name. The table is in docs/configuration.md. */
import type { ErrorRow } from './error-row.ts';

export const CONFIGURATION_ERRORS = [
  {
    codes: ['STATE_FOLDER_UNUSABLE'],
    exit: 'refused',
    advice: 'the folder of the ledger cannot be created or written: set `HUNDREDFOLD_STATE_DIR`',
  },
  {
    codes: ['FOLDER_NOT_PRIVATE'],
    exit: 'refused',
    advice:
      'a folder that must be private is a symbolic link, or belongs to another user: remove it',
  },
  {
    codes: ['CONFIG_UNREADABLE'],
    exit: 'refused',
    advice: 'the file named with `--config` or `HUNDREDFOLD_CONFIG` cannot be read: check the path',
  },
  {
    codes: ['CONFIG_NOT_WRITTEN'],
    exit: 'usage',
    advice:
      '`hundredfold init` cannot write there: name a folder that you may write to, or one that does not exist yet',
  },
  {
    codes: ['CONFIG_NOT_YAML'],
    exit: 'refused',
    advice: 'correct the YAML at the named place; the usual cause is a tab for indentation',
  },
  {
    codes: ['CONFIG_INVALID'],
    exit: 'refused',
    advice: 'correct every named key; compare with the tables above',
  },
  {
    codes: ['CONFIG_SECRET_MISSING'],
    exit: 'refused',
    advice: 'the variable is not set in this shell, or the file does not exist',
  },
  {
    codes: ['CONFIG_MOLECULE_TOKEN'],
    exit: 'refused',
    advice: "the molecule service's token has exactly 10 characters",
  },
  {
    codes: ['CONFIG_NO_SERVICE'],
    exit: 'refused',
    advice: 'rows need a service that is not configured: add it, or use `--services local`',
  },
  {
    codes: ['CONFIG_NO_TEMPORAL'],
    exit: 'refused',
    advice:
      '`hundredfold worker` needs `temporal.address`; `hundredfold run` does not need a worker',
  },
  {
    codes: ['CONFIG_LOCAL_SERVICES'],
    exit: 'refused',
    advice:
      '`--services local` works only with the embedded server; with your own Temporal server, start `hundredfold services` and configure it under `services`',
  },
  {
    codes: ['CONFIG_CODEC_KEY', 'CONFIG_NO_CODEC'],
    exit: 'refused',
    advice:
      '`temporal.codec`: a key is not 32 bytes in base64 or hexadecimal, `key` is not among `keys`, or `codec-server` has no keys',
  },
  {
    codes: ['CONFIG_TLS_INCOMPLETE', 'CONFIG_TLS_MISMATCH', 'CONFIG_TLS_INVALID'],
    exit: 'refused',
    advice:
      '`temporal.tls`: `cert` without `key`, a key that belongs to another certificate, or a file that is not PEM',
  },
  {
    codes: ['CONFIG_PROFILE_INVALID', 'CONFIG_PROFILE_NO_ADDRESS'],
    exit: 'refused',
    advice: '`temporal.profile`: the profile or its file cannot be read, or names no server',
  },
  {
    codes: ['CONFIG_TLS_UNREADABLE'],
    exit: 'refused',
    advice:
      'a file under `tls` cannot be read, or is not PEM: paths are relative to the folder of the configuration',
  },
  {
    codes: ['CONFIG_STORE_UNSUPPORTED'],
    exit: 'refused',
    advice: '`store.url` is an address that is not S3: use a folder, or `s3://bucket/prefix`',
  },
  {
    codes: ['CONFIG_STORE_ADDRESS'],
    exit: 'refused',
    advice:
      'the `s3://` address has an invalid bucket name, an empty part, a query or a password: use `s3://bucket/prefix`',
  },
  {
    codes: ['CONFIG_TOKEN_OVER_HTTP'],
    exit: 'refused',
    advice:
      'use an `https` address, or set `allowHttp: true` if you trust the network to the service',
  },
  {
    codes: ['CONFIG_PROXY_INVALID'],
    exit: 'refused',
    advice:
      '`HTTPS_PROXY` and `HTTP_PROXY` must be addresses of `http` or `https` proxies: `http://host:port`',
  },
  {
    codes: ['CONFIG_SEVERAL_TOKENS'],
    exit: 'refused',
    advice:
      'use one token, or set `severalTokensAllowed: true` if the terms of the service allow several; list each token once, and do not set `token` with `tokens`',
  },
  {
    codes: ['CONFIG_HEADER_UNUSABLE'],
    exit: 'refused',
    advice: "a header's value must be one line, without control characters",
  },
  {
    codes: ['SERVICE_URL_WRONG'],
    exit: 'refused',
    advice:
      'correct the address: the message says what answers there and, if it was found, the right address. Nothing was submitted',
  },
  {
    codes: ['SERVICE_URL_INVALID'],
    exit: 'usage',
    advice: 'use an address without user name, password, query and fragment',
  },
  {
    codes: ['TOKEN_UNUSABLE'],
    exit: 'usage',
    advice: 'the token contains a character that is not allowed in a request, or is too long',
  },
  {
    codes: ['CONFIG_NO_DEPLOYMENT'],
    exit: 'refused',
    advice:
      '`deployment` without `temporal.deployment`: set it in the configuration of every worker',
  },
  {
    codes: ['CONFIG_OTLP_PROTOCOL'],
    exit: 'refused',
    advice:
      "set `OTEL_EXPORTER_OTLP_PROTOCOL=http/json` and use the collector's HTTP port (usually 4318)",
  },
] as const satisfies readonly ErrorRow[];
