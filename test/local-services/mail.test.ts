/** Mail of the molecule service, to a real SMTP server; contract of the molecule service, 6. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { settingsOf, type LocalServicesOptions } from '../../src/local-services/options.ts';
import type { LocalServices } from '../../src/local-services/server.ts';
import { start, submitMolecule, until } from './running-services.ts';

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
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  );
  return { url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`, messages };
}

async function startLogging(
  options: LocalServicesOptions,
): Promise<{ services: LocalServices; lines: string[] }> {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { services: await start({ ...options, log: pino({}, stream) }), lines };
}

async function run(services: LocalServices, more: Record<string, unknown>): Promise<string> {
  const { body } = await submitMolecule(services, more);
  await until(services.moleculesUrl + body.Location);
  return body.hash_id;
}

test('a job with an address sends mail when it has finished', async () => {
  const { url: smtp, messages } = await smtpServer();
  const { services, lines } = await startLogging({ smtp, mailFrom: 'jobs@science.example' });
  const id = await run(services, { email: ADDRESS, file_name: 'ethanol' });
  await run(services, { smiles: 'CCC' });
  await services.close();
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatchObject({ from: 'jobs@science.example', to: [ADDRESS] });
  expect(messages[0]?.text).toMatch(/^Subject: Molecule job finished: ethanol\r$/m);
  expect(messages[0]?.text).toContain(`/api/${id}/`);
  expect(messages[0]?.text).not.toContain('tokenof10c');
  expect(lines.join('')).not.toContain(ADDRESS);
});

test('a failed job includes the reason', async () => {
  const { url: smtp, messages } = await smtpServer();
  const services = await start({ smtp, faults: [{ name: 'fail' }] });
  await run(services, { email: ADDRESS });
  await vi.waitFor(() => {
    expect(messages[0]?.text).toMatch(/Subject: Molecule job failed[^]*Reason: Failed on purpose/);
  });
});

test('a title cannot add headers, and no mail is sent to a list of addresses', async () => {
  const { url: smtp, messages } = await smtpServer();
  const { services, lines } = await startLogging({ smtp });
  await run(services, { email: ADDRESS, file_name: 'x\r\nBcc: eve@example.org\r\n\r\nbody' });
  await run(services, { email: 'ada@example.org, eve@example.org', smiles: 'CCC' });
  await services.close();
  expect(messages.map(({ to }) => to)).toEqual([[ADDRESS]]);
  const head = messages[0]?.text.split('\r\n\r\n')[0];
  expect(head).not.toMatch(/^Bcc:/m);
  expect(lines.join('')).toContain('cannot be used');
});

test('without an SMTP server the log has a note, without the address', async () => {
  const { services, lines } = await startLogging({});
  await run(services, { email: ADDRESS });
  await services.close();
  expect(lines.join('')).toContain('no mail is sent without --smtp');
  expect(lines.join('')).not.toContain(ADDRESS);
});

test('an unavailable server does not affect the job', async () => {
  const { services, lines } = await startLogging({ smtp: 'smtp://127.0.0.1:9' });
  await run(services, { email: ADDRESS });
  await services.close();
  expect(lines.join('')).toMatch(/"code":"E\w+".*could not be sent/);
  expect(lines.join('')).not.toContain(ADDRESS);
});

test.each([
  'localhost:25',
  'http://localhost',
  'smtp://user:secret@localhost',
  'http://user:secret@x',
])('refuses %s as an SMTP server, without repeating a password', (smtp) => {
  expect(() => settingsOf({ smtp })).toThrow(
    expect.objectContaining({
      code: 'LOCAL_SERVICES_OPTION',
      message: expect.not.stringContaining('secret'),
    }),
  );
});
