/** Errors of arguments, or of what they name. The table is in docs/operations.md. */
import { wording, type ErrorTable } from './error-entry.ts';

export const USAGE_ERRORS = {
  OPTION_INVALID: {
    exit: 'usage',
    advice: 'an option on the command line has an invalid value',
    text: wording<{ option: string; value: string; expected: string }>(
      ({ option, value }) => `${option} is "${value}"`,
      ({ expected }) => expected,
    ),
  },
  NAME_INVALID: {
    exit: 'refused',
    advice: 'use letters, digits, dots, hyphens and underscores, 64 at most, no leading dot',
    text: wording<{ name: string }>(
      ({ name }) => `${JSON.stringify(name)} cannot be the name of a campaign`,
      'Use 1 to 64 letters, digits, dots, hyphens and underscores, with no leading dot.',
    ),
  },
  DEPLOYMENT_UNSUPPORTED: {
    exit: 'usage',
    advice:
      'the Temporal server has no Worker Deployments (older than 1.29, or switched off): stop all workers before an upgrade',
    text: wording(
      'this Temporal server has no Worker Deployments: it is too old, or they are disabled',
      'Use server 1.29 or newer, or omit temporal.deployment and stop all workers before an upgrade.',
    ),
  },
  REPORT_IN_BUCKET: {
    exit: 'usage',
    advice: '`report --open` with a tree in a bucket: copy it to disk first',
    text: wording<{ name: string; path: string }>(
      ({ name, path }) => `the report of ${name} is at ${path}, where a browser cannot open it`,
      ({ name }) => `Copy it to disk first: hundredfold pull ${name}; then open its report.html.`,
    ),
  },
  UI_UNKNOWN: {
    exit: 'refused',
    advice: '`ui` with your own Temporal server: its UI has its own address',
    text: wording<{ address: string }>(
      ({ address }) => `Temporal runs at ${address}, and its UI has its own address`,
      'Ask its administrator; by default, a UI server listens on port 8080 or 8233.',
    ),
  },
  UI_OFF: {
    exit: 'usage',
    advice: 'the embedded server runs without its UI: `hundredfold stop`, then run `ui` again',
    text: wording(
      'the embedded server runs without its UI',
      'Stop it (hundredfold stop), then run the command again.',
    ),
  },
  USAGE: {
    exit: 'usage',
    advice: 'a command or an option that does not exist: `hundredfold COMMAND --help`',
    text: wording<{ reason: string }>(
      ({ reason }) => reason,
      'hundredfold --help lists the commands, hundredfold COMMAND --help the options.',
    ),
  },
} as const satisfies ErrorTable;
