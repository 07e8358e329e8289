/** `doctor --service`: our services and examples pass, and plugins that are broken on purpose get a finding that names it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkConformance } from '../../src/runner/conformance/conform.ts';
import { loadPlugins } from '../../src/services/plugins/load.ts';
import { findService } from '../../src/services/registry.ts';
import type { Service } from '../../src/services/service.ts';
import { Desk, ROOT } from '../cli/command.ts';

const EXAMPLES = join(ROOT, 'examples', 'services');
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(file: string): Service {
  const [plugin] = loadPlugins([file], folder);
  const [service] = plugin?.services ?? [];
  if (service === undefined) throw new Error(`${file} has no service`);
  return service;
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

  test.each(['translate.ts', 'uniprot.ts'])('the example %s', async (file) => {
    const [tried] = await checkConformance(load(join(EXAMPLES, file)), {});
    expect(tried?.faults).toEqual([]);
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

test.each(BROKEN)('%s: %s', async (...broken) => {
  await expectFault(broken);
});

async function expectFault([mistake, code, text, instead]: Broken) {
  const right = readFileSync(join(EXAMPLES, 'translate.ts'), 'utf8');
  expect(right).toContain(text);
  const file = join(folder, `${mistake.replaceAll(' ', '-')}.ts`);
  writeFileSync(
    file,
    right.replace(text, () => instead),
  );
  const [tried] = await checkConformance(load(file), {});
  const codes = [...new Set(tried?.faults.map((fault) => fault.code))];
  expect(codes).toEqual(code === null ? [] : expect.arrayContaining([code]));
}

describe('the command', () => {
  test('shows a table of at most 80 columns', async () => {
    const desk = new Desk();
    const { stdout } = await desk.runs(0, ['doctor', '--service', join(EXAMPLES, 'uniprot.ts')]);
    expect(stdout).toMatch(/^303 elsewhere +no access +finished \* +no access$/m);
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
});
