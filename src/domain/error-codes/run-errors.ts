/** Errors of what a campaign runs on: set-up, Temporal, host, output trees, ledger, local services. */
import type { ErrorRow } from './error-row.ts';

export const RUN_ERRORS = [
  {
    codes: [
      'SETUP_BUNDLE_FAILED',
      'SETUP_CACHE_UNWRITABLE',
      'SETUP_DISK_FULL',
      'SETUP_HASH_MISMATCH',
      'SETUP_LOCKED',
      'SETUP_LOCK_DISAGREES',
      'SETUP_MAVEN_FAILED',
      'SETUP_NODE_TOO_OLD',
      'SETUP_NODE_UNUSABLE',
      'SETUP_NO_JAVA',
      'SETUP_NO_MAVEN',
      'SETUP_NO_NETWORK',
      'SETUP_NO_NPM',
      'SETUP_NO_PERMISSION',
      'SETUP_NO_PIP',
      'SETUP_NO_PYTHON',
      'SETUP_NPM_FAILED',
      'SETUP_PIP_FAILED',
      'SETUP_PLATFORM',
      'SETUP_REPORT_PAGE_MISSING',
      'SETUP_SDK_DOWNLOAD',
      'SETUP_TEMPORAL_UNUSABLE',
      'SETUP_WHEEL_ABSENT',
      'NODE_TOO_OLD',
      'NODE_UNUSABLE',
    ],
    exit: 'usage',
    advice:
      'the set-up names what is missing; `npm run setup` (in a checkout) or `hundredfold setup` repeats only the set-up',
  },
  {
    codes: ['TEMPORAL_CLI_MISSING', 'TEMPORAL_CLI_UNUSABLE'],
    exit: 'usage',
    advice: '`hundredfold setup`, or correct `TEMPORAL_CLI`',
  },
  {
    codes: ['PACKAGE_INCOMPLETE'],
    exit: 'usage',
    advice: 'a file of the installation is missing: install again',
  },
  {
    codes: ['TEMPORAL_NOT_STARTED', 'TEMPORAL_NOT_HEALTHY'],
    exit: 'usage',
    advice: 'read `.hundredfold/temporal.log`; often the disk is full or too slow',
  },
  {
    codes: ['TEMPORAL_DATABASE_DAMAGED'],
    exit: 'usage',
    advice:
      'restore the named file or move it aside, and run the `run` command again; the tree keeps inputs, results and accepted jobs',
  },
  {
    codes: ['TEMPORAL_ATTRIBUTES_REFUSED'],
    exit: 'usage',
    advice: 'ask an administrator to add the search attributes; the message contains the command',
  },
  {
    codes: ['OPEN_FILES_LIMIT'],
    exit: 'usage',
    advice: '`ulimit -n 1024`, or `nofile` of the container',
  },
  { codes: ['UI_PORT'], exit: 'usage', advice: 'no port of 127.0.0.1 is free for the Temporal UI' },
  {
    codes: ['METRICS_PORT'],
    exit: 'refused',
    advice: 'no port of 127.0.0.1 is free for the Temporal UI',
  },
  {
    codes: ['TREE_UNKNOWN'],
    exit: 'usage',
    advice: '[export.md](export.md#messages); NAME must be a campaign or the folder of its tree',
  },
  {
    codes: ['TEMPORAL_PORT_LOST'],
    exit: 'usage',
    advice: 'the embedded server died and another program took its port: run the command again',
  },
  {
    codes: ['TEMPORAL_UNREACHABLE'],
    exit: 'usage',
    advice:
      '`temporal.address`: the message says whether the name is unknown, nothing listens, or nothing answers',
  },
  {
    codes: ['TEMPORAL_NOT_GRPC'],
    exit: 'usage',
    advice: 'the port serves a web page: use the gRPC port of the frontend, usually 7233',
  },
  {
    codes: ['TEMPORAL_TLS_REQUIRED', 'TEMPORAL_TLS_NOT_OFFERED'],
    exit: 'usage',
    advice: 'one side uses TLS and the other does not: set or remove `temporal.tls`',
  },
  {
    codes: ['TEMPORAL_TLS_UNKNOWN_CA'],
    exit: 'usage',
    advice: "set `temporal.tls.ca` to the authority that issued the server's certificate",
  },
  {
    codes: ['TEMPORAL_TLS_SERVER_NAME'],
    exit: 'usage',
    advice: 'set `temporal.tls.serverName` to one of the names in the message',
  },
  {
    codes: ['TEMPORAL_TLS_EXPIRED'],
    exit: 'usage',
    advice: 'renew the certificate of the server, or correct the clock of this machine',
  },
  {
    codes: ['TEMPORAL_TLS_CLIENT_MISSING', 'TEMPORAL_TLS_CLIENT_REFUSED'],
    exit: 'usage',
    advice:
      '`temporal.tls.cert` and `.key`: missing, expired, or from an issuer that the server does not trust',
  },
  {
    codes: ['TEMPORAL_UNAUTHENTICATED'],
    exit: 'usage',
    advice: 'API key or client certificate: missing, wrong or expired',
  },
  {
    codes: ['TEMPORAL_PERMISSION_DENIED'],
    exit: 'usage',
    advice: 'the credentials are valid but lack the permission: ask for it',
  },
  {
    codes: ['TEMPORAL_NAMESPACE_MISSING'],
    exit: 'usage',
    advice: 'correct `temporal.namespace`, or create the namespace: `hundredfold setup temporal`',
  },
  {
    codes: ['TEMPORAL_CODEC_MISSING', 'TEMPORAL_CODEC_KEY_MISSING', 'TEMPORAL_CODEC_KEY_WRONG'],
    exit: 'usage',
    advice:
      'set `temporal.codec` to the same value as where the campaigns were started; the message names the id of the key',
  },
  {
    codes: ['CODEC_SERVER_PORT'],
    exit: 'usage',
    advice: 'choose another `--port` for `hundredfold codec-server`',
  },
  {
    codes: ['TEMPORAL_RETENTION_SHORT'],
    exit: 'usage',
    advice:
      'from `doctor`: ended workflows are deleted too early; run `hundredfold setup temporal`',
  },
  {
    codes: ['TEMPORAL_SILENT'],
    exit: 'usage',
    advice:
      'the server did not answer within 8 s: it is busy or stopped. Try again, or run `hundredfold doctor`',
  },
  {
    codes: ['TEMPORAL_LOST'],
    exit: 'usage',
    advice: 'the connection to the server was lost: run the command again; the campaign continues',
  },
  {
    codes: ['WORKER_SILENT'],
    exit: 'usage',
    advice:
      'no worker is polling your Temporal server: start `hundredfold worker`, or run the `run` command again',
  },
  {
    codes: ['HOST_OTHER_SERVICES'],
    exit: 'refused',
    advice: 'wait for the other command, stop it, or use another `HUNDREDFOLD_EMBEDDED_DIR`',
  },
  {
    codes: ['HOST_LOOKS_ONLY'],
    exit: 'refused',
    advice: 'end `hundredfold ui` with Ctrl-C, then run the command again',
  },
  {
    codes: ['HOST_NOT_READY'],
    exit: 'usage',
    advice: 'another command uses the folder and hangs: read `host.log`, then end that command',
  },
  {
    codes: ['TREE_IS_HERE'],
    exit: 'refused',
    advice: '`cancel --abandon` of a campaign whose tree exists: omit `--abandon`',
  },
  {
    codes: ['HOST_FOLDER_UNUSABLE'],
    exit: 'refused',
    advice: 'make `embedded.dir` writable, or choose another folder',
  },
  {
    codes: ['HOST_DOES_NOT_STOP'],
    exit: 'usage',
    advice: 'kill the named process; nothing is lost',
  },
  {
    codes: [
      'LOCAL_SERVICES_ENGINE',
      'ENGINES_HASH_MISMATCH',
      'ENGINES_NO_VENV',
      'ENGINES_NO_WHEEL',
      'ENGINES_PATH',
      'ENGINES_PIP_FAILED',
      'ENGINES_PLATFORM',
      'ENGINES_SYSTEM',
      'ENGINES_UNUSABLE',
    ],
    exit: 'usage',
    advice: 'the real engines: [engines.md](engines.md#when-it-does-not-work)',
  },
  {
    codes: ['LOCAL_SERVICES_PORT', 'LOCAL_SERVICES_DATABASE', 'LOCAL_SERVICES_OPTION'],
    exit: 'usage',
    advice: 'choose another port or file, or stop the local services that use it',
  },
  {
    codes: ['LEDGER_UNUSABLE'],
    exit: 'usage',
    advice:
      'the ledger of this machine cannot be read or written: nothing is sent until it can; the message names the file',
  },
  {
    codes: ['LEDGER_NEWER'],
    exit: 'usage',
    advice: 'use the version that wrote the ledger of this machine, or set `HUNDREDFOLD_STATE_DIR`',
  },
  {
    codes: ['LEDGER_DAMAGED'],
    exit: 'usage',
    advice: 'none: the ledger of this machine is set aside and recreated',
  },
  {
    codes: ['DOWNLOAD_BROKEN'],
    exit: 'usage',
    advice: 'none: the download is retried automatically',
  },
  {
    codes: ['INTERRUPTED'],
    exit: 'interrupted',
    advice: 'the campaign continues: start it again to follow it',
  },
] as const satisfies readonly ErrorRow[];
