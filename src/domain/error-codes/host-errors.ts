/** Errors of the machine that runs a campaign: host, ports, ledger, local services. Table: docs/operations.md. */
import { wording, type ErrorTable } from './error-entry.ts';

const LOCAL_SERVICES = {
  exit: 'usage',
  advice: 'choose another port or file, or stop the local services that use it',
} as const;

const HOST_FOLDER_ERRORS = {
  OPEN_FILES_LIMIT: {
    exit: 'usage',
    advice: '`ulimit -n 1024`, or `nofile` of the container',
    text: wording<{ soft: number; needed: number }>(
      ({ soft, needed }) => `this process may open ${soft} files; a campaign needs ${needed}`,
      'Raise the limit (ulimit -n 1024, or nofile in limits.conf or of the container), then run the same command again.',
    ),
  },
  UI_PORT: {
    exit: 'usage',
    advice: 'no port of 127.0.0.1 is free for the Temporal UI',
    text: wording(
      'this machine has no free port for the Temporal UI',
      'End programs that listen on 127.0.0.1, then run the same command again.',
    ),
  },
  METRICS_PORT: {
    exit: 'refused',
    advice:
      'the port for metrics is in use or not permitted: choose another with `--metrics-port` or `worker.metrics`',
    text: wording<{ host: string; port: number; code: string }>(
      ({ host, port, code }) => `cannot listen for metrics on ${host}, port ${port} (${code})`,
      'Choose another port or address: --metrics-port and --metrics-host, or worker.metrics in the configuration.',
    ),
  },
  HOST_OTHER_SERVICES: {
    exit: 'refused',
    advice: 'wait for the other command, stop it, or use another `HUNDREDFOLD_EMBEDDED_DIR`',
    text: wording<{ pid: number; what: string }>(
      ({ pid, what }) =>
        `the command that runs the embedded server (process ${pid}) does not know ${what}`,
      'Wait until it has ended, or use a separate server for this campaign: HUNDREDFOLD_EMBEDDED_DIR=.hundredfold-2.',
    ),
  },
  HOST_LOOKS_ONLY: {
    exit: 'refused',
    advice: 'end `hundredfold ui` with Ctrl-C, then run the command again',
    text: wording<{ pid: number }>(
      ({ pid }) =>
        `\`hundredfold ui\` (process ${pid}) runs the embedded server, and no campaign makes progress with it`,
      'End it with Ctrl-C, then run this command again. `ui` can be started beside a running campaign.',
    ),
  },
  HOST_NOT_READY: {
    exit: 'usage',
    advice: 'another command uses the folder and hangs: read `host.log`, then end that command',
    texts: {
      'other command': wording<{ folder: string }>(
        ({ folder }) => `another command holds ${folder} and does not become ready`,
        'It may still be starting: try again in a moment. Otherwise, find the hundredfold process that hangs and end it; campaigns lose nothing.',
      ),
      'in the background': wording<{ logFile: string }>(
        'the background process did not become ready',
        ({ logFile }) => `Read ${logFile}.`,
      ),
      'not taken over': wording(
        'the background process did not take the campaign over',
        'Nothing is lost: the "hundredfold run" command of this campaign continues it.',
      ),
    },
  },
  TREE_IS_HERE: {
    exit: 'refused',
    advice: '`cancel --abandon` of a campaign whose tree exists: omit `--abandon`',
    text: wording<{ folder: string; name: string }>(
      ({ folder, name }) => `${folder} is the output tree of ${name}, and it is available`,
      ({ name }) =>
        `Run "hundredfold cancel ${name}" without --abandon: it writes the tables of the finished items.`,
    ),
  },
  HOST_FOLDER_UNUSABLE: {
    exit: 'refused',
    advice: 'make `embedded.dir` writable, free space on its disk, or choose another folder',
    text: wording<{ folder: string; reason: string }>(
      ({ folder, reason }) =>
        `cannot write in ${folder}, where the embedded server keeps its database${reason}`,
      'Make it writable, free space on its disk, or choose another folder: embedded.dir in hundredfold.yaml, or HUNDREDFOLD_EMBEDDED_DIR.',
    ),
  },
  HOST_DOES_NOT_STOP: {
    exit: 'usage',
    advice: 'kill the named process; nothing is lost',
    text: wording<{ pid: number }>(
      ({ pid }) => `process ${pid} does not end`,
      ({ pid }) => `End it by force (kill -9 ${pid}): campaigns are durable and lose nothing.`,
    ),
  },
} as const satisfies ErrorTable;

const PROGRAM_ERRORS = {
  // The services have the texts.
  LOCAL_SERVICES_PORT: LOCAL_SERVICES,
  LOCAL_SERVICES_DATABASE: LOCAL_SERVICES,
  LOCAL_SERVICES_OPTION: LOCAL_SERVICES,
  LEDGER_UNUSABLE: {
    exit: 'usage',
    advice:
      'the ledger of this machine cannot be read or written: nothing is sent until it can; the message names the file',
    text: wording<{ path: string; reason: string }>(
      ({ path, reason }) => `the ledger of submissions ${path} cannot be used: ${reason}`,
      'Free disk space, or set HUNDREDFOLD_STATE_DIR to a writable folder; nothing is sent until then.',
    ),
  },
  LEDGER_NEWER: {
    exit: 'usage',
    advice: 'use the version that wrote the ledger of this machine, or set `HUNDREDFOLD_STATE_DIR`',
    text: wording<{ layout: number }>(
      ({ layout }) => `the ledger of submissions was written by a newer version (layout ${layout})`,
      'Use that version of hundredfold, or set HUNDREDFOLD_STATE_DIR to another folder.',
    ),
  },
  LEDGER_DAMAGED: {
    exit: 'usage',
    advice: 'none: the ledger of this machine is set aside and recreated',
    text: wording<{ path: string }>(
      ({ path }) => `the ledger of submissions ${path} is damaged`,
      'No action is needed: it is set aside and recreated.',
    ),
  },
  DOWNLOAD_BROKEN: {
    exit: 'usage',
    advice: 'none: the download is retried automatically',
    text: wording<{ where: string; reason: string }>(
      ({ where, reason }) => `${where}: ${reason}`,
      'The download is retried automatically; incomplete files are not kept.',
    ),
  },
} as const satisfies ErrorTable;

export const HOST_ERRORS = { ...HOST_FOLDER_ERRORS, ...PROGRAM_ERRORS };
