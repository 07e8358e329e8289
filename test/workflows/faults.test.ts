/** Every fault of a service has an end with a code: each item of a campaign has its own fault. */
import { expect, test } from 'vitest';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sequences, type Ran, type Rig } from '../rig.ts';
import * as fate from './fates.ts';
import type { Fate, Spoil } from './fates.ts';
import { openRig, openWithGoBetween, rowOf } from './faulty.ts';

/** What the service does to an item, and how the item ends: '' is success. */
type Case = readonly [id: string, fate: Fate, code: string, words?: string | RegExp];

/** Our own limits, short enough for a test: the defaults are 24 h, 30 min and 15 min. */
const POLICY = { deadlineMs: 40_000, retryMs: 1_000, lostAfterMs: 1_000 };

/** Must survive a CSV reader: line breaks, quotes, commas, umlauts, a leading formula character. */
const ODD_WORDS =
  'Invalid predictor types: "disomine2",\r\n  use one of: dynamine, \'psper\'\n\tÄ, β-sheet, 蛋白质 🧬; =1+1';

const running = (timing: object): Spoil =>
  fate.answering(202, { status: 'RUNNING', status_message: 'running predictions', timing });

const failing = (error: string): Fate => ({ poll: fate.answering(422, { error }) });
const missing: Spoil = fate.answering(404, { error: 'Request not found' });
/** As soon as the job is done. */
const done = (spoil: Spoil): Fate => ({ poll: fate.onceDone(spoil) });

const MINUTE = { started_at: '2026-01-01T00:00:00Z', time_limit_seconds: 3_600 };

const ENDED_BY_THE_SERVICE: readonly Case[] = [
  ['fails', failing(ODD_WORDS), 'JOB_FAILED', ODD_WORDS],
  ['fails-mute', { poll: fate.answering(422, '') }, 'JOB_FAILED', 'the service gives no reason'],
  ['lost', { poll: missing }, 'JOB_LOST', /^Request not found \(asked \d+ times in /],
  ['gone', { poll: fate.answering(410, '') }, 'JOB_LOST'],
  ['deleted', { result: missing }, 'RESULT_ABSENT', /Request not found/],
  ['too-many', { submit: fate.times(1, fate.answering(429, {}, { 'retry-after': '1' })) }, ''],
];

const STUCK: readonly Case[] = [
  [
    'silent',
    { poll: running({ ...MINUTE, heartbeat_age_seconds: 3_700 }) },
    'JOB_STUCK',
    /has not worked on it for 3700 s/,
  ],
  [
    'overrun',
    { poll: running({ ...MINUTE, elapsed_seconds: 7_300 }) },
    'JOB_STUCK',
    /3700 s past its time limit/,
  ],
  ['endless', { poll: running({}) }, 'JOB_OVERDUE'],
  [
    'always-500',
    { poll: fate.answering(500, 'oops') },
    'JOB_UNREADABLE',
    /for other jobs.*HTTP 500/,
  ],
  ['page-for-ever', { poll: fate.webPage }, 'JOB_UNREADABLE', /web page/],
  ['some-500', { poll: fate.times(1, fate.answering(502, 'bad gateway')) }, ''],
];

const DOWNLOADS: readonly Case[] = [
  ['cut-twice', { result: fate.times(2, fate.cutInHalf) }, ''],
  ['cut-always', { result: fate.cutInHalf }, 'RESULT_TRUNCATED'],
  ['cut-unseen-once', { result: fate.times(1, fate.cutUnseen) }, ''],
  ['cut-unseen', { result: fate.cutUnseen }, 'RESULT_TRUNCATED', /is truncated after/],
  ['page-always', { result: fate.webPage }, 'RESULT_UNUSABLE', /web page/],
  ['zipped', { result: fate.encoded }, 'RESULT_UNUSABLE', /gzip/],
  ['down-a-while', { result: fate.times(2, fate.answering(503, '')) }, ''],
  ['garbled', { result: fate.withText(() => 'Internal error, please retry') }, 'RESULT_NOT_JSON'],
  ['no-bytes', { result: fate.withText(() => '') }, 'RESULT_EMPTY'],
  ['label-only', { ...done(fate.labelled('text/html')), result: fate.labelled('text/html') }, ''],
];

const SIDE_FILES: readonly Case[] = [
  ['csv-cut', { csv: fate.cutInHalf }, 'RESULT_TRUNCATED'],
  ['csv-page', { csv: fate.webPage }, 'RESULT_UNUSABLE'],
  ['csv-none', { csv: fate.answering(404, {}) }, ''],
  ['log-garbled', { history: fate.withText(() => '{"timeline":[') }, ''],
];

const firstNumber = (word: string): Spoil =>
  fate.withText((text) => text.replace(/([[,]\s*)-?\d+\.\d+/, `$1${word}`));

const SEQUENCE_RESULTS: readonly Case[] = [
  ['nan', { result: firstNumber('NaN') }, 'RESULT_NOT_A_NUMBER', /no number of .* for residue 1 /],
  ['infinity', { result: firstNumber('-Infinity') }, 'RESULT_NOT_A_NUMBER'],
  ['empty-object', { result: fate.withText(() => '{}') }, 'RESULT_EMPTY'],
  ['no-backbone', { result: fate.withoutKey('backbone') }, 'RESULT_MISSING_VALUES', /dynamine/],
  ['other-seq', { result: fate.withKey('seq', 'MKTAYIAKYYY'.split('')) }, 'RESULT_WRONG_SEQUENCE'],
];

const MOLECULES: readonly Case[] = [
  ['m-lost', { poll: fate.answering(404, '') }, 'JOB_LOST'],
  ['m-fails', failing(ODD_WORDS), 'JOB_FAILED', ODD_WORDS],
  ['m-empty', done(fate.withKey('results', [{}])), 'JOB_FAILED'],
  ['m-key', done(fate.withoutKey('AC_lib')), 'JOB_FAILED', /Missing or empty: AC_lib/],
  ['m-key-later', { result: fate.withoutKey('em_mdp') }, 'RESULT_MISSING_FILES', /em_mdp/],
  ['m-empty-later', { result: fate.withKey('results', []) }, 'RESULT_EMPTY'],
  [
    'm-path',
    { result: fate.withText((text) => text.replace(/[\w.-]+_GMX\.itp/g, '../m_GMX.itp')) },
    'RESULT_UNSAFE_NAME',
  ],
  ['m-garbled', done(fate.withText(() => 'oops')), 'JOB_UNREADABLE', /not understood: oops/],
  ['m-nothing', { poll: fate.times(1, fate.answering(200, {})) }, ''],
  ['m-other-word', { poll: fate.answering(200, { status: 'PAUSED' }) }, 'JOB_UNREADABLE', /PAUSED/],
];

const ALIGNMENTS: readonly Case[] = [
  ['a-good', {}, ''],
  ['a-keyless', { result: fate.withoutKey('proteins') }, 'RESULT_WRONG_SEQUENCE'],
  ['a-side', { distributions: fate.cutInHalf }, 'RESULT_TRUNCATED'],
];

const SHIFTS: readonly Case[] = [
  ['s-good', {}, ''],
  ['s-keyless', { result: fate.withoutKey('shiftCrypt') }, 'RESULT_ALL_MISSING'],
];

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';

/** A file of the demo, different for each row: equal ones would share one job. */
async function different(rig: Rig, demo: string, id: string, n: number): Promise<string> {
  const text = await readFile(join('batches/demo/files', demo), 'utf8');
  const isAlignment = demo.endsWith('.fasta');
  const residue = RESIDUES[n % 20] ?? 'A';
  // An additional column for the alignment, an additional comment for the shifts.
  const other = isAlignment ? text.replace(/\n(?=>|$)/g, `${residue}\n`) : `${text}# ${id}\n`;
  const name = `${id}${demo.slice(demo.indexOf('.'))}`;
  await writeFile(join(rig.folder, name), other);
  return name;
}

/** Rows of each kind. */
async function manifest(rig: Rig, groups: Readonly<Record<string, readonly Case[]>>) {
  const { sequence = [], molecule = [], alignment = [], shifts = [] } = groups;
  const files = (kind: string, cases: readonly Case[], demo: string) =>
    cases.map(async ([id], n) => ({ id, kind, file: await different(rig, demo, id, n) }));
  const rows = [
    ...sequence.map(([id], n) => {
      const tail = `${RESIDUES[n % 20] ?? 'A'}${RESIDUES[Math.floor(n / 20)] ?? 'A'}W`;
      return { id, kind: 'sequence', sequence: `MKTAYIAK${tail}` };
    }),
    ...molecule.map(([id], n) => ({ id, kind: 'molecule', smiles: 'C'.repeat(n + 1) })),
    ...(await Promise.all(files('alignment', alignment, 'gst2.fasta'))),
    ...(await Promise.all(files('shifts', shifts, 'bmr5387_ubiquitin.nef'))),
  ];
  const path = join(rig.folder, 'manifest.jsonl');
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}

type Variant = 'current' | 'earlier';

async function runs(variant: Variant, groups: Readonly<Record<string, readonly Case[]>>) {
  const { rig, between } = await openWithGoBetween({ policy: POLICY, limit: 0, jobMs: 0, variant });
  const cases = Object.values(groups).flat();
  fate.inflict(between, new Map(cases.map(([id, one]) => [id, one])));
  const ran = await rig.run(await manifest(rig, groups));
  await endAs(variant, ran, cases);
}

async function endAs(variant: Variant, ran: Ran, cases: readonly Case[]): Promise<void> {
  const ends = await Promise.all(cases.map(async ([id]) => rowOf(ran, id)));
  const told = ends.map(({ id, error_code: code }) => `${id}: ${code}`);
  const wanted = (code: string) =>
    code === '' ? 'succeeded' : code.endsWith('UNREADABLE') ? 'held' : 'failed';
  expect(told, `the end of each item, ${variant} variant`).toEqual(
    cases.map(([id, , code]) => `${id}: ${code}`),
  );
  expect(ends.map((row) => row['state'])).toEqual(cases.map(([, , code]) => wanted(code)));
  for (const [i, [id, , , words]] of cases.entries()) {
    if (words === undefined) continue;
    const check = expect(ends[i]?.['error'], `what items.csv says of ${id}`);
    if (typeof words === 'string') check.toBe(words);
    else check.toMatch(words);
  }
}

const EARLIER: readonly Case[] = [
  ['e-fails', { poll: fate.answering(200, { error: ODD_WORDS }) }, 'JOB_FAILED', ODD_WORDS],
  ['e-fails-400', { poll: fate.answering(400, { error: 'no' }) }, 'JOB_FAILED', 'no'],
  ['e-endless', { poll: fate.answering(200, { status: 'RUNNING' }) }, 'JOB_OVERDUE'],
  ['e-other-word', { poll: fate.answering(200, { status: 'PAUSED' }) }, 'JOB_UNREADABLE'],
];

/** The earlier variant reports failures and unfinished jobs in its own way. */
const NOT_EARLIER = new Set(['fails', 'fails-mute', 'empty-object']);

const earlier = (cases: readonly Case[]): Case[] => cases.filter(([id]) => !NOT_EARLIER.has(id));

test('each fault only ends its own item, of all four kinds, in both variants', async () => {
  const same = [...ENDED_BY_THE_SERVICE, ...DOWNLOADS, ...SIDE_FILES, ...SEQUENCE_RESULTS];
  const groups = { alignment: ALIGNMENTS, shifts: SHIFTS };
  await Promise.all([
    runs('current', { ...groups, sequence: [...same, ...STUCK], molecule: MOLECULES }),
    runs('earlier', { ...groups, sequence: [...EARLIER, ...earlier(same)] }),
  ]);
}, 600_000);

test('a job that the service aborts, for its silent worker or its time limit, fails with that message', async () => {
  const rig = await openRig({
    limit: 0,
    jobMs: 8_000,
    heartbeatSilenceSeconds: 0.6,
    timeLimitSeconds: 1.5,
    faults: [{ name: 'stuck-heartbeat', service: 'predictions', times: 1 }],
  });
  const ran = await rig.run(sequences(2));
  const ends = await Promise.all(ran.ids.map(async (id) => rowOf(ran, id)));
  expect(ends.map(({ error_code: code }) => code)).toEqual(['JOB_FAILED', 'JOB_FAILED']);
  expect(ends.map(({ error }) => error).sort()).toEqual([
    'The job was stopped at its time limit.',
    'The worker stopped reporting: its heartbeat was silent for too long.',
  ]);
});
