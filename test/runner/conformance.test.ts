/** `doctor --service`: our services and examples pass, and plugins that are broken on purpose get a finding that names it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { fakeTranslate } from '../../examples/services/translate-server.ts';
import { fakeUniProt } from '../../examples/services/uniprot-server.ts';
import { checkConformance } from '../../src/runner/conformance/conform.ts';
import { loadPlugins } from '../../src/services/plugins/load.ts';
import { findService } from '../../src/services/registry.ts';
import type { Service } from '../../src/services/service.ts';
import { Desk, ROOT } from '../cli/command.ts';
import { start } from '../local-services/running-services.ts';

const EXAMPLES = join(ROOT, 'examples', 'services');
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(file: string): Service {
  const [plugin] = loadPlugins([file], folder);
  const [service] = plugin?.services ?? [];
  if (service === undefined) throw new Error(`${file} has no service`);
  return service;
}

async function double(server: ReturnType<typeof fakeTranslate>): Promise<string> {
  onTestFinished(() => server.close());
  return server.listen();
}

describe('what is right passes', () => {
  test.each(['molecules', 'predictions'])('%s, in each variant', async (name) => {
    const tried = await checkConformance(findService(name), {});
    expect(tried.map(({ variant }) => variant)).toEqual(
      name === 'molecules' ? [{}] : [{ variant: 'current' }, { variant: 'earlier' }],
    );
    for (const { faults, rows } of tried) {
      expect(faults).toEqual([]);
      expect(rows.find(({ answer }) => answer === '429, Retry-After 20')).toMatchObject({
        step: 'submission',
        outcome: 'no job',
        afterMs: 20_000,
        isClaim: false,
      });
    }
  });

  test.each([
    ['molecules', {}],
    ['predictions', {}],
    ['predictions', { variant: 'earlier' }],
  ] as const)('%s %o, with a job of each kind at the local services', async (name, config) => {
    const services = await start('variant' in config ? { variant: config.variant } : {});
    const url = name === 'molecules' ? services.moleculesUrl : services.url;
    const [tried] = await checkConformance(findService(name), config, url);
    expect(tried?.faults).toEqual([]);
    expect(tried?.jobs.map(({ what }) => what)).toContain('zeros in it');
  });

  test('the examples, with a job at their fake servers', async () => {
    const doubles = { 'translate.ts': fakeTranslate(), 'uniprot.ts': fakeUniProt() };
    for (const [file, server] of Object.entries(doubles)) {
      const [tried] = await checkConformance(load(join(EXAMPLES, file)), {}, await double(server));
      expect(tried?.faults).toEqual([]);
      expect(tried?.jobs).toContainEqual(expect.objectContaining({ found: 'believed' }));
    }
  });
});

/** A change of translate.ts, and what the kit says of it: where, and what is found. */
type Broken = readonly [mistake: string, code: string | null, text: string, instead: string];

const QUEUED = "text === 'queued' ? { type: 'running' } : null";
const ACCEPTED = "201: ({ text }) => ({ type: 'accepted', id: text.trim() })";
const CHECK =
  "input === null || protein.length * 3 === input.text.length ? null : 'It has another length.'";
const BY_REQUEST = "identity: { by: 'request', within: '24h', header: 'Idempotency-Key' },";
const submits = (answers: string) => [ACCEPTED, `${ACCEPTED}, ${answers}`] as const;
const polls = (answers: string) =>
  ['    answers: {\n      200', `answers: { ${answers},\n 200`] as const;
const submitsTo = (path: string) => ["path: ['jobs'],", `path: ['jobs', ${path}],`] as const;

const BROKEN: readonly Broken[] = [
  ['nothing', null, 'maxOpen: 5', 'maxOpen: 6'],
  ['running unless it is done', 'NOTHING_BELIEVED', QUEUED, "{ type: 'running' }"],
  ['a job failed by an unreadable 200', 'NOTHING_BELIEVED', QUEUED, "{ type: 'failed' }"],
  [
    'a 2xx without an id is certainly no job',
    'NOTHING_BELIEVED',
    ACCEPTED,
    "201: () => ({ type: 'notNow', why: 'unavailable', message: 'busy' })",
  ],
  [
    'an id from nothing',
    'ID_FROM_NOTHING',
    ACCEPTED,
    "201: ({ json }) => ({ type: 'accepted', id: String((json as any)?.id) })",
  ],
  ['a refusal is accepted', 'ID_FROM_NOTHING', ...submits("400: { type: 'accepted', id: 'x' }")],
  ['an outage refuses a row', 'OUTAGE_BELIEVED', ...submits("'5xx': { type: 'refused' }")],
  [
    'an outage is certainly no job',
    'OUTAGE_BELIEVED',
    ...submits("500: { type: 'notNow', why: 'unavailable', message: 'down' }"),
  ],
  ['an outage fails a job', 'OUTAGE_BELIEVED', ...polls("'5xx': { type: 'failed' }")],
  ['too many requests refuse a row', 'ROW_BLAMED', ...submits("429: { type: 'refused' }")],
  ['a wrong key fails a job', 'ROW_BLAMED', ...polls("401: { type: 'failed' }")],
  ['a name is taken that finds no job', 'IDENTITY_FALSE', ...submits("409: { type: 'nameTaken' }")],
  [
    'an empty list, whatever the answer',
    'LIST_BELIEVED',
    BY_REQUEST,
    `identity: { by: 'list', maxLength: 100, settles: '60s' },
     list: { request: () => ({ path: ['jobs'] }), answers: { 200: { type: 'page', jobs: [], next: null } } },`,
  ],
  [
    'no name in a submission',
    'REQUEST_SAYS_TOO_LITTLE',
    BY_REQUEST,
    `identity: { by: 'list', maxLength: 100, settles: '60s' },
     list: { request: () => ({ path: ['jobs'] }), answers: {} },`,
  ],
  ['no input in a submission', 'REQUEST_SAYS_TOO_LITTLE', 'text: input.text', "text: 'ATG'"],
  ['a clock', 'NOT_PURE', ...submitsTo('String(Date.now())')],
  ['chance', 'NOT_PURE', ...submitsTo('String(Math.random())')],
  ['the environment', 'NOT_PURE', ...submitsTo("process.env['HOME'] ?? ''")],
  [
    'a changed argument',
    'NOT_PURE',
    'text: input.text',
    "text: Object.assign(input, { text: 'A' }).text",
  ],
  ['a function that throws', 'THROWS', QUEUED, 'JSON.parse(text)'],
  ['no outcome', 'NO_OUTCOME', QUEUED, "{ type: 'done' } as any"],
  ['a promise', 'NOT_PURE', QUEUED, '(Promise.resolve(null) as any)'],
  ['a path that leaves the address', 'REQUEST_ELSEWHERE', ...submitsTo("'..'")],
  ['two parts of a path in one', 'REQUEST_ELSEWHERE', ...submitsTo("'v1/run'")],
  ['a secret in an address', 'REQUEST_HAS_SECRET', ...submitsTo("'abcdefgh12345678abcdefgh'")],
  [
    'a secret in a question',
    'REQUEST_HAS_SECRET',
    "poll: {\n    request: (id) => ({ path: ['jobs', id] }),",
    "poll: {\n    request: (id) => ({ path: ['jobs', id], query: { api_key: 'abc' } }),",
  ],
  ['a secret that is not declared', 'SECRET_UNKNOWN', "secret: 'key'", "secret: 'token'"],
  ['no example', 'EXAMPLE_MISSING', "examples: [{ text: 'ATGGCATAA' }],", ''],
  ['a wrong example', 'EXAMPLE_REFUSED', "'ATGGCATAA'", "'MKV'"],
  [
    'inputs that differ share a job',
    'INPUTS_CONFUSED',
    'text: letters }',
    "text: letters, canonical: [...letters].sort().join('') }",
  ],
  [
    'every result is right',
    'DAMAGE_BELIEVED',
    `(/^[A-Z*]+$/.test(protein) ? protein : null),\n  check: (protein, { input }) =>\n    ${CHECK}`,
    'protein,\n  check: () => null',
  ],
];

const BROKEN_AT_DOUBLE: readonly Broken[] = [
  ['half a result is right', 'DAMAGE_BELIEVED', CHECK, 'input === null ? null : null'],
  ['words of another service', 'JOB_FAILED', "text === 'done'", "text === 'ready'"],
  ['another path', 'JOB_FAILED', "id, 'protein']", "id, 'proteins']"],
];

test.each(BROKEN)('%s: %s', async (...broken) => {
  await expectFault(broken, null);
});

test.each(BROKEN_AT_DOUBLE)('%s, at a double: %s', async (...broken) => {
  await expectFault(broken, await double(fakeTranslate({ runsMs: 0 })));
});

async function expectFault([mistake, code, text, instead]: Broken, url: string | null) {
  const right = readFileSync(join(EXAMPLES, 'translate.ts'), 'utf8');
  expect(right).toContain(text);
  const file = join(folder, `${mistake.replaceAll(' ', '-')}.ts`);
  writeFileSync(
    file,
    right.replace(text, () => instead),
  );
  const [tried] = await checkConformance(load(file), {}, url);
  const codes = [...new Set(tried?.faults.map((fault) => fault.code))];
  expect(codes).toEqual(code === null ? [] : expect.arrayContaining([code]));
}

describe('the command', () => {
  test('shows a table of at most 80 columns, and a job at a double', async () => {
    const desk = new Desk();
    const url = await double(fakeUniProt());
    const words = ['doctor', '--service', join(EXAMPLES, 'uniprot.ts'), '--url', url];
    const { stdout } = await desk.runs(0, words);
    expect(stdout).toMatch(/^303 elsewhere +no access +finished \* +no access$/m);
    expect(stdout).toMatch(/^ {2}its result +believed$/m);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  test('fails with a fault, and names it', async () => {
    const desk = new Desk();
    const right = readFileSync(join(EXAMPLES, 'translate.ts'), 'utf8');
    desk.write('translate.ts', right.replace(QUEUED, "{ type: 'failed' }"));
    const { stdout } = await desk.runs(1, ['doctor', '--service', './translate.ts']);
    expect(stdout).toContain('FAULT NOTHING_BELIEVED  state');
    expect(stdout).toContain('2xx, {} → failed');
  });

  test('sends no job to another machine', async () => {
    const words = ['doctor', '--service', 'molecules', '--url', 'https://molecules.example.org'];
    const { stderr } = await new Desk().runs(1, words);
    expect(stderr).toContain('Give a double on this machine');
  });
});
