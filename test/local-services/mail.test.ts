/** Mail of the molecule service, to a real SMTP server; contract of the molecule service, 6. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import {
  parseSettings,
  type LocalServicesOptions,
} from '../../packages/local-services/src/options.ts';
import { runMolecule, startLogging } from './running-services.ts';

interface Message {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

const ADDRESS = 'ada@example.org';

async function smtpServer(): Promise<{ url: string; messages: Message[] }> {
  const messages: Message[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address);
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => {
        messages.push({ from, to, text });
        done();
      });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(async () => {
    const closed = once(listening, 'close');
    server.close();
    await closed;
  });
  return { url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`, messages };
}

/** Runs the jobs, and returns the log, in which no address is found. */
async function logOf(
  options: LocalServicesOptions,
  ...jobs: readonly Record<string, unknown>[]
): Promise<{ log: string; ids: string[] }> {
  const { services, log } = await startLogging(options);
  const ids: string[] = [];
  for (const job of jobs) ids.push((await runMolecule(services, job)).id);
  await services.close();
  expect(log()).not.toContain(ADDRESS);
  return { log: log(), ids };
}

test('a job with an address sends mail when it has ended, with the reason if it failed', async () => {
  const { url: smtp, messages } = await smtpServer();
  const options = { smtp };
  const job = { email: ADDRESS, file_name: 'ethanol' };
  const { ids } = await logOf(options, job, { smiles: 'CCC' });
  await logOf({ ...options, faults: [{ name: 'fail' }] }, job);
  expect(messages).toMatchObject([
    { from: 'molecules@localhost', to: [ADDRESS] },
    {
      text: expect.stringMatching(
        /Subject: Molecule job failed: ethanol[^]*Reason: Failed on purpose/,
      ),
    },
  ]);
  expect(messages[0]?.text).toMatch(/^Subject: Molecule job finished: ethanol\r$/m);
  expect(messages[0]?.text).toContain(`/api/${String(ids[0])}/`);
  expect(messages[0]?.text).not.toContain('tokenof10c');
});

test('a title cannot add headers, and no mail is sent to a list of addresses', async () => {
  const { url: smtp, messages } = await smtpServer();
  const title = { email: ADDRESS, file_name: 'x\r\nBcc: eve@example.org\r\n\r\nbody' };
  const list = { email: `${ADDRESS}, eve@example.org`, smiles: 'CCC' };
  const { log } = await logOf({ smtp }, title, list);
  expect(messages.map(({ to }) => to)).toEqual([[ADDRESS]]);
  expect(messages[0]?.text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m);
  expect(log).toContain('cannot be used');
});

test('without a server, or with one that is down, the job succeeds and the log has a note', async () => {
  const none = await logOf({}, { email: ADDRESS });
  expect(none.log).toContain('no mail is sent without --smtp');
  const down = await logOf({ smtp: 'smtp://127.0.0.1:9' }, { email: ADDRESS });
  expect(down.log).toMatch(/"code":"E\w+".*could not be sent/);
});

test.each(['localhost:25', 'http://user:secret@x', 'smtp://user:secret@localhost'])(
  'refuses %s as an SMTP server, without repeating a password',
  (smtp) => {
    expect(() => parseSettings({ smtp })).toThrow(
      expect.objectContaining({
        code: 'LOCAL_SERVICES_FAILED',
        message: expect.not.stringContaining('secret'),
      }),
    );
  },
);
