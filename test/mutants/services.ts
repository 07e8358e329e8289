/** What is sent to the services, what they order, and what they must not leave behind. */
import type { Mutant } from './list.ts';

export const SERVICES: readonly Mutant[] = [
  {
    name: 'retry-after-unit',
    file: 'src/services/answers.ts',
    find: 'obeyed(Math.ceil(seconds * 1000))',
    replace: 'obeyed(Math.ceil(seconds * 100))',
    breaks: '1: a service is asked again when it wants, and not before.',
    tests: ['test/services/submission.test.ts', 'test/services/poll.test.ts'],
  },
  {
    name: 'requests-too-close',
    file: 'src/services/polling.ts',
    find: 'this.#now() + waitMs) + this.#betweenMs;',
    replace: 'this.#now() + waitMs) + this.#betweenMs / 10;',
    breaks: '2: requests follow each other no closer than the service allows.',
    tests: ['test/services/polling.test.ts'],
  },
  {
    name: 'poll-before-ordered',
    file: 'src/services/polling.ts',
    find: 'return Math.max(wished, retryAfterMs ?? 0);',
    replace: 'return Math.min(wished, retryAfterMs ?? 0);',
    breaks: '2: a job is polled when the service wants, and not before.',
    tests: ['test/services/polling.test.ts'],
  },
  {
    name: 'net-charge-not-sent',
    file: 'src/services/molecules.ts',
    find: 'net_charge: options.netCharge === null ? null : String(options.netCharge),',
    replace: 'net_charge: options.netCharge === null ? null : null,',
    breaks: '5: what is computed is what the row asks for.',
    tests: ['test/services/submit.test.ts'],
  },
  {
    name: 'secret-in-base64',
    file: 'src/services/redaction.ts',
    find: 'const padded = Buffer.concat([Buffer.alloc(place), secret]);',
    replace: 'const padded = Buffer.concat([Buffer.alloc(0 * place), secret]);',
    breaks: '6: a token within a base64 text is overwritten.',
    tests: ['test/services/redaction.test.ts'],
  },
  {
    name: 'secret-between-chunks',
    file: 'src/services/redaction.ts',
    find: 'const ready = text.length - this.#reach;',
    replace: 'const ready = text.length;',
    breaks: '6: a token that arrives in two pieces is overwritten.',
    tests: ['test/services/redaction.test.ts'],
  },
  {
    name: 'secret-to-command',
    file: 'src/activities/notify.ts',
    find: 'return withoutSecrets(environment, notify.secretVariables ?? []);',
    replace: 'return environment;',
    breaks: '6: a command that is run at the end gets no token.',
    tests: ['test/workflows/notify.test.ts'],
  },
  {
    name: 'notification-not-sent',
    file: 'src/workflows/campaign.ts',
    find: 'this.#unnotified = await CancellationScope.nonCancellable(() => notifyEnd(this.#spec));',
    replace: 'this.#unnotified = await Promise.resolve([]);',
    breaks: '3: whoever wants to be told of the end is told.',
    tests: ['test/workflows/notify.test.ts'],
  },
  {
    name: 'result-cut-behind-length',
    file: 'src/activities/fetch.ts',
    find: "if (problem && NOT_WHOLE.has(problem.code)) askAgain({ type: 'bad', ...problem }, patience);",
    replace:
      "if (problem && !NOT_WHOLE.has(problem.code)) askAgain({ type: 'bad', ...problem }, patience);",
    breaks: '3: a result that arrived incomplete is downloaded again before the item fails.',
    tests: ['test/workflows/faults.test.ts'],
  },
];
