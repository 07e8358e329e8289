/**
 * Why a notification failed: no command fails with these codes, but the activity in the Temporal UI does. The table is
 * in docs/configuration.md.
 */
import type { NotifyWay } from '../campaign.ts';
import { wording, type ErrorTexts } from './error-entry.ts';

interface NotifyEntry extends ErrorTexts {
  /** What happened; Markdown, for the documentation. */
  readonly meaning: string;
  /** What to do; Markdown, for the documentation. */
  readonly advice: string;
}

export const NOTIFY_ERRORS = {
  NOTIFY_NOT_CONFIGURED: {
    meaning: 'the worker that published the campaign has no such recipient in its configuration',
    advice: 'give all workers of the campaign the same `notify`',
    text: wording<{ way: NotifyWay }>(
      ({ way }) =>
        `the worker that published the campaign has no ${way} under notify in its configuration`,
      'Give all workers of the campaign the same notify.',
    ),
  },
  NOTIFY_OVERDUE: {
    meaning: 'the command did not end, or the webhook did not answer, within 20 s; not retried',
    advice: 'check whether the recipient has the notification, and why it is so slow',
    text: wording<{ fault: string }>(
      ({ fault }) => fault,
      'Check whether the recipient has the notification, and why it is so slow.',
    ),
  },
  NOTIFY_FAILED: {
    meaning:
      'the command could not be started or ended with an error; the webhook could not be reached or refused the notification',
    advice:
      'the message says which: run the command by hand, or check `notify.url` and `notify.token`',
    text: wording<{ fault: string }>(
      ({ fault }) => fault,
      'Run the command by hand, or check notify.url and notify.token.',
    ),
  },
} as const satisfies Readonly<Record<string, NotifyEntry>>;
