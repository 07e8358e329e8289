/** Errors of a Temporal server, of the connection to it, and of its set-up. The table is in docs/operations.md. */
import { wording, type ErrorTable } from './error-entry.ts';

const NOT_STARTED = {
  exit: 'usage',
  advice: 'read `.hundredfold/temporal.log`; often the disk is full or too slow',
} as const;

const EMBEDDED_ERRORS = {
  TEMPORAL_NOT_STARTED: {
    ...NOT_STARTED,
    text: wording<{ reason: string; tail: string; logFile: string }>(
      ({ reason, tail }) =>
        `the Temporal server did not start: ${reason}${tail ? `\n${tail}` : ''}`,
      ({ logFile }) => `Read ${logFile}; \`hundredfold doctor\` checks the installation.`,
    ),
  },
  TEMPORAL_NOT_HEALTHY: {
    ...NOT_STARTED,
    text: wording<{ seconds: number }>(
      ({ seconds }) => `the Temporal server did not answer within ${seconds} s`,
      'Run the same command again; `hundredfold doctor` looks for the cause.',
    ),
  },
  TEMPORAL_DATABASE_DAMAGED: {
    exit: 'usage',
    advice:
      'restore the named file or move it aside, and run the `run` command again; the tree keeps inputs, results and accepted jobs',
    text: wording<{ file: string }>(
      ({ file }) => `${file}, the database of the embedded server, is damaged and cannot be read`,
      ({ file }) =>
        `Restore it from a backup, or move it aside (mv ${file} ${file}.damaged; rm -f ${file}-wal ${file}-shm) and run the "hundredfold run" command again. ` +
        'The output tree keeps inputs, results and accepted jobs, which are not submitted again. The histories in the UI are lost.',
    ),
  },
  TEMPORAL_PORT_LOST: {
    exit: 'usage',
    advice: 'the embedded server died and another program took its port: run the command again',
    text: wording<{ port: number }>(
      ({ port }) => `another program now uses port ${port} of the embedded Temporal server`,
      'Run the same command again: it uses another port, and nothing is lost.',
    ),
  },
} as const satisfies ErrorTable;

const CONNECTION_ERRORS = {
  TEMPORAL_UNREACHABLE: {
    exit: 'usage',
    advice:
      '`temporal.address`: the message says whether the name is unknown, nothing listens, or nothing answers',
    texts: {
      network: wording<{ address: string; reason: string; code: string }>(
        ({ address, reason, code }) => `cannot reach Temporal at ${address}: ${reason} (${code})`,
        'Check temporal.address, and that the server runs and its port is open to this host.',
      ),
      silent: wording<{ address: string }>(
        ({ address }) =>
          `cannot reach Temporal at ${address}: the port is open, but nothing answers`,
        'The server may be starting or overloaded, or a firewall may block the connection: try again.',
      ),
      unclear: wording<{ address: string; namespace: string }>(
        ({ address, namespace }) => `cannot reach Temporal at ${address} (namespace ${namespace})`,
        'Check temporal.address, tls and apiKey in the configuration, and that the server runs.',
      ),
      'during the command': wording<{ reason: string }>(
        ({ reason }) => `The connection to Temporal was lost during the command (${reason})`,
        'Run the same command again: it resumes, and nothing is submitted twice.',
      ),
    },
  },
  TEMPORAL_NOT_GRPC: {
    exit: 'usage',
    advice: 'the port serves a web page: use the gRPC port of the frontend, usually 7233',
    text: wording<{ address: string }>(
      ({ address }) => `${address} answers as a web server, not as a Temporal frontend`,
      'Use the gRPC port of the frontend (usually 7233); 8080 and 8233 are usually ports of the web UI.',
    ),
  },
  TEMPORAL_SILENT: {
    exit: 'usage',
    advice:
      'the server did not answer within 8 s: it is busy or stopped. Try again, or run `hundredfold doctor`',
    text: wording<{ seconds: number }>(
      ({ seconds }) => `Temporal did not answer within ${seconds} s`,
      'It may be busy or stopped: try again, or run `hundredfold doctor`. Campaigns lose nothing meanwhile.',
    ),
  },
  TEMPORAL_LOST: {
    exit: 'usage',
    advice: 'the connection to the server was lost: run the command again; the campaign continues',
    text: wording<{ reason: string }>(
      ({ reason }) => `Temporal stopped answering (${reason})`,
      'Run the command again: the campaign continues, and nothing is lost.',
    ),
  },
  WORKER_SILENT: {
    exit: 'usage',
    advice:
      'no worker is polling your Temporal server: start `hundredfold worker`, or run the `run` command again',
    text: wording<{ workflow: string }>(
      ({ workflow }) => `no worker answers for ${workflow}`,
      'Start a worker (hundredfold worker), or run the "hundredfold run" command again. `hundredfold doctor` says whether it is stuck, and what to do.',
    ),
  },
} as const satisfies ErrorTable;

const SERVER_ERRORS = {
  TEMPORAL_UNAUTHENTICATED: {
    exit: 'usage',
    advice: 'API key or client certificate: missing, wrong or expired',
    text: wording<{ details: string }>(
      ({ details }) => `Temporal does not accept the credentials${details}`,
      'Set temporal.apiKey or temporal.tls.cert and .key, and check that the API key has not expired.',
    ),
  },
  TEMPORAL_PERMISSION_DENIED: {
    exit: 'usage',
    advice: 'the credentials are valid but lack the permission: ask for it',
    texts: {
      'this call': wording<{ details: string }>(
        ({ details }) => `Temporal accepts the credentials but does not permit this call${details}`,
        'Ask for read and write permission in the namespace; `hundredfold doctor --temporal` shows which calls are refused.',
      ),
      'found by doctor': wording<{ calls: readonly string[] }>(
        ({ calls }) => `not permitted: ${calls.join('; ')}`,
        'Ask for the role of a writer in the namespace.',
      ),
    },
  },
  TEMPORAL_NAMESPACE_MISSING: {
    exit: 'usage',
    advice:
      'correct `temporal.namespace`, or create the namespace: `temporal operator namespace create`',
    text: wording<{ namespace: string }>(
      ({ namespace }) => `Temporal has no namespace ${namespace}`,
      ({ namespace }) =>
        `Check temporal.namespace, or create it: temporal operator namespace create --namespace ${namespace} --retention 30d`,
    ),
  },
  TEMPORAL_ATTRIBUTES_REFUSED: {
    exit: 'usage',
    advice: 'ask an administrator to add the search attributes; the message contains the command',
    texts: {
      'not added': wording<{ namespace: string; reason: string; command: string }>(
        ({ namespace, reason }) =>
          `Temporal does not accept the search attributes in the namespace ${namespace}: ${reason}`,
        ({ command }) => `Ask an administrator to add them: ${command}`,
      ),
      'other type': wording<{ attributes: readonly string[] }>(
        ({ attributes }) => `of another type than Keyword: ${attributes.join(', ')}`,
        'Types cannot be changed: use another namespace (temporal.namespace).',
      ),
      missing: wording<{ attributes: readonly string[]; command: string }>(
        ({ attributes }) => `missing: ${attributes.join(', ')}`,
        ({ command }) => `The next worker or run adds them, or an administrator: ${command}`,
      ),
      /** `closed`: why they cannot be listed; `some`: some are certainly missing. */
      'not listed': wording<{ closed: string; some: boolean; all: readonly string[] }>(
        ({ closed, some }) =>
          some ? `some are missing; ${closed}` : `cannot be checked: ${closed}`,
        ({ all }) =>
          `Ask an administrator to add them, each as Keyword: ${all.join(', ')}. In Temporal Cloud: the page of the namespace, or tcld.`,
      ),
    },
  },
  TEMPORAL_RETENTION_SHORT: {
    exit: 'usage',
    advice: 'from `doctor`: ended workflows are deleted too early; the message has the command',
    text: wording<{ kept: string; command: string }>(
      ({ kept }) =>
        `${kept}: ended items vanish from the UI, and their workflow ids can be used again, while their campaign may still run`,
      ({ command }) => `Keep them for 30 days: ${command}`,
    ),
  },
} as const satisfies ErrorTable;

export const TEMPORAL_ERRORS = { ...EMBEDDED_ERRORS, ...CONNECTION_ERRORS, ...SERVER_ERRORS };
