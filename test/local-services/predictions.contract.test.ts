/** The contract of the prediction service, named after its sections. */
import { describe, expect, test } from 'vitest';
import type { LocalServicesOptions } from '../../packages/local-services/src/options.ts';
import {
  ALIGNMENT,
  api,
  FASTA,
  get,
  NEF,
  OWNER,
  postForm,
  postJson,
  protein,
  residues,
  resultsUrl,
  runSequence,
  start,
  startForFile,
  submitAlignment,
  submitMolecule,
  submitSequence,
  submitShifts,
  TOKEN,
  until,
  type Answer,
} from './running-services.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const SUBMITS = [submitSequence, submitAlignment, submitShifts] as const;

const services = await startForFile({ limit: 0 });
/** The first job of it runs for ever, all others wait. */
const busy = await startForFile({ jobMs: 600_000, concurrency: 1, timeLimitSeconds: 5400 });
const running = await submitSequence(busy);

/** The last answer to a job that was submitted. */
async function ended(ack: Answer): Promise<Answer> {
  expect(ack.status, ack.text).toBe(200);
  return until(resultsUrl(services, ack));
}

describe('2.2 acknowledgement', () => {
  test.each(SUBMITS.map((submit) => [submit.name, submit] as const))('of %s', async (_, submit) => {
    const { status, body, headers } = await submit(busy);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['request_id', 'task_id', 'status', 'message']);
    expect([body.request_id, body.task_id]).toEqual([
      expect.stringMatching(UUID),
      expect.stringMatching(UUID),
    ]);
    expect(body).toMatchObject({ status: 'enqueued', message: expect.stringMatching(/./) });
    expect(headers.get('X-RateLimit-Limit')).toBe('100');
  });
});

describe('4.1 to 4.3 submissions', () => {
  test('one predictor, or several separated by commas', async () => {
    const one = await runSequence(services);
    expect(Object.keys(protein(one.result))).not.toContain('disoMine');
    const predictor_type = 'dynamine, disomine,efoldmine,agmata';
    const four = await runSequence(services, { predictor_type });
    expect(protein(four.result)).toMatchObject(
      Object.fromEntries(
        ['backbone', 'disoMine', 'earlyFolding', 'agmata'].map((key) => [key, expect.anything()]),
      ),
    );
  });

  test('invalid predictor names are accepted; the job fails and lists them', async () => {
    const { result } = await runSequence(services, { predictor_type: 'dynamine,nosuch,DynaMine' });
    expect(result).toMatchObject({
      status: 422,
      body: { status: 'FAILED', error: 'Invalid predictor types: nosuch, DynaMine' },
    });
  });

  test('files in a multipart form', async () => {
    const form = (path: string, fields: Parameters<typeof postForm>[1]): Promise<Answer> =>
      postForm(`${api(services)}/submit/${path}/`, { token: TOKEN, ...fields });
    const fasta = { predictor_type: 'dynamine', fasta_file: { file: FASTA } };
    expect(residues(await ended(await form('single-sequence', fasta)))).toBe(
      'MKVLAAGIVGLCAKAYLEQW',
    );
    const aligned = await ended(await form('msa', { msa_file: { file: ALIGNMENT } }));
    expect(aligned.body.sequences['two']?.join('')).toBe('MK-LAAGI');
    const shifts = { chemical_file: { file: NEF }, original_numbering: 'false' };
    const [chain] = (await ended(await form('shiftcrypt', shifts))).list;
    expect(chain).toMatchObject({ sequence: ['M', 'K', 'V'], seqCodes: [1, 2, 3] });
    const latin1 = { file: new Uint8Array([0x3e, 0xe9, 0x0a, 0x4d]) };
    const refused = await form('single-sequence', { ...fasta, fasta_file: latin1 });
    expect([refused.status, refused.body.error]).toEqual([400, 'fasta_file is not UTF-8 text.']);
  });

  test('an alignment has null at its gaps', async () => {
    const result = await ended(await submitAlignment(services));
    expect(protein(result, 'two')['backbone']?.[2]).toBeNull();
  });

  test('shifts in each model class, with their original numbers by default', async () => {
    for (const model_class of ['1', '2', '3']) {
      const [chain] = (await ended(await submitShifts(services, { model_class }))).list;
      expect(chain?.seqCodes).toEqual([11, 12, 13]);
    }
  });

  test('lengths are counted in characters: a hundred emoji are a token', async () => {
    expect((await submitSequence(services, { token: '🧬'.repeat(100) })).status).toBe(200);
    expect((await submitAlignment(services, { job_name: '🧬'.repeat(120) })).status).toBe(200);
    for (const job_name of [undefined, '', null, undefined, '', null]) {
      expect((await submitSequence(services, { job_name })).status).toBe(200);
    }
  });

  test('everything else is refused with 400 and the reason', async () => {
    const unequal = '>one\nMKVL\n>two\nMK\n';
    const headless = 'MKVL\n>one\nMKVL\n>two\nMKVL\n';
    const refused = [
      ...SUBMITS.flatMap(
        (submit) =>
          [
            [submit, { token: undefined }, /^token is required\.$/],
            [submit, { token: '' }, /^token is required\.$/],
            [submit, { token: null }, /^token is required\.$/],
            [submit, { token: '🧬'.repeat(101) }, /^token must be at most 100 characters\.$/],
            [submit, { job_name: 'n'.repeat(121) }, /^job_name must be at most 120 characters\.$/],
          ] as const,
      ),
      [submitSequence, { sequence: undefined }, /sequence is required/],
      [submitSequence, { sequence: ' \n' }, /sequence is required/],
      [submitSequence, { predictor_type: undefined }, /predictor_type is required/],
      [submitSequence, { predictor_type: ' , ' }, /predictor_type is required/],
      [submitSequence, { sequence: 7 }, /sequence must be a string/],
      [submitSequence, { token: '', predictor_type: 7 }, /^token is.* predictor_type must/],
      [submitAlignment, { msa_data: '>one\nMKVL\n' }, /at least two sequences/],
      [submitAlignment, { msa_data: unequal }, /same length with "-"; found lengths 4, 2/],
      [submitAlignment, { msa_data: headless }, /begins with ">"/],
      [submitShifts, { model_class: '4' }, /model_class must be one of 1, 2, 3/],
      [submitShifts, { model_class: 1 }, /model_class must be a string/],
      [submitShifts, { original_numbering: 'true' }, /original_numbering must be/],
      [submitShifts, { chemical_shifts: '' }, /chemical_shifts is required/],
    ] as const;
    for (const [submit, change, words] of refused) {
      const { status, body } = await submit(services, change);
      expect([status, body]).toEqual([400, { error: expect.stringMatching(words) }]);
    }
  });

  test('7 a job name is used once for a token on all three, and free for another', async () => {
    expect((await submitSequence(services, { job_name: 'mine' })).status).toBe(200);
    for (const submit of SUBMITS) {
      expect(await submit(services, { job_name: 'mine' })).toMatchObject({
        status: 409,
        body: { error: 'job_name is already used by another job of this token.' },
      });
    }
    const other = await submitSequence(services, { job_name: 'mine', token: 'another' });
    expect(other.status).toBe(200);
  });
});

test('1.6 a POST without its trailing slash is not redirected and submits nothing', async () => {
  const before = services.journal().length;
  const body = { token: TOKEN, predictor_type: 'dynamine', sequence: FASTA };
  const answer = await postJson(`${api(services)}/submit/single-sequence`, body);
  expect(answer.status).toBe(404);
  expect(answer.body.error).toContain('trailing slash');
  expect(services.journal()).toHaveLength(before);
});

const ENVELOPE_KEYS =
  'request_id status request_type progress attempt created_at updated_at error status_message history_url timing';

describe('2.3 status envelope and 2.4 timing block', () => {
  test('of a running job', async () => {
    const url = resultsUrl(busy, running);
    const isOld = async () => (await get(url)).body.timing.wall_seconds > 0;
    await expect.poll(isOld).toBe(true);
    const { status, body, headers } = await get(url);
    expect(status).toBe(202);
    expect(headers.get('Retry-After'), '4.4').toBe('5');
    expect(Object.keys(body).join(' ')).toBe(ENVELOPE_KEYS);
    expect(body).toMatchObject({
      request_id: running.body.request_id,
      status: 'RUNNING',
      request_type: 'single_sequence',
      progress: 30,
      attempt: 1,
      created_at: expect.stringMatching(ISO_WITH_OFFSET),
      updated_at: expect.stringMatching(ISO_WITH_OFFSET),
      error: null,
      status_message: 'running predictions',
      history_url: `/online_predictors/api/results/${running.body.request_id}/history/`,
    });
    const seconds = body.timing.wall_seconds;
    expect(seconds).toBeLessThan(60);
    const two = (value: number) => String(value).padStart(2, '0');
    expect(body.timing).toEqual({
      queued_at: body.created_at,
      started_at: expect.stringMatching(ISO_WITH_OFFSET),
      finished_at: null,
      queue_wait: '00:00:00',
      queue_wait_seconds: 0,
      elapsed_time: `00:00:${two(seconds)}`,
      elapsed_seconds: seconds,
      left_time: `01:29:${two(60 - seconds)}`,
      left_seconds: 5400 - seconds,
      wall_time: `00:00:${two(seconds)}`,
      wall_seconds: seconds,
      time_limit: '01:30:00',
      time_limit_seconds: 5400,
      last_heartbeat_at: expect.stringMatching(ISO_WITH_OFFSET),
      heartbeat_age_seconds: expect.any(Number),
    });
  });

  test.each([
    ['single_sequence', submitSequence],
    ['msa', submitAlignment],
    ['shiftcrypt', submitShifts],
  ] as const)('of a job that waits names its kind, %s', async (request_type, submit) => {
    const { status, body } = await get(resultsUrl(busy, await submit(busy)));
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'enqueued', request_type });
    const nothing = { started_at: null, finished_at: null, left_seconds: null };
    expect(body.timing).toMatchObject({ ...nothing, heartbeat_age_seconds: null });
  });

  test('of a failed job has the same fields, and shows no remaining time', async () => {
    const { url, result } = await runSequence(services, { predictor_type: 'nosuch' });
    expect(result.status).toBe(422);
    expect(Object.keys(result.body).join(' ')).toBe(ENVELOPE_KEYS);
    expect(result.body.timing).toMatchObject({
      finished_at: expect.stringMatching(ISO_WITH_OFFSET),
      left_time: null,
      left_seconds: null,
    });
    expect((await get(url)).body.timing, 'it does not change').toEqual(result.body.timing);
  });
});

test('2.5 a prediction is an object, of shifts an array, without an envelope', async () => {
  for (const submit of SUBMITS) {
    const { status, body, headers } = await ended(await submit(services));
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toContain('application/json');
    expect(Array.isArray(body)).toBe(submit === submitShifts);
    expect(body).not.toHaveProperty('request_id');
  }
});

describe('2.6 processing log and 4.5 history', () => {
  test('merges state changes and progress notes in chronological order', async () => {
    const { url } = await runSequence(services);
    const { status, body } = await get(`${url}history/`);
    expect(status).toBe(200);
    expect(body.history.map((entry) => entry.state)).toEqual(['RUNNING', 'FINISHED']);
    expect(body.messages.map((entry) => [entry.progress, entry.message])).toEqual([
      [30, 'running predictions'],
      [40, 'running predictions'],
      [90, 'saving results'],
    ]);
    expect(body.timeline).toHaveLength(5);
    const times = body.timeline.map((entry) => entry.timestamp);
    expect(times).toEqual([...times].sort());
    expect(Object.keys(body.history[0]!)).toEqual(['kind', 'timestamp', 'state', 'message']);
    expect(Object.keys(body.messages[0]!)).toEqual(['kind', 'timestamp', 'progress', 'message']);
  });
});

describe('3 a job', () => {
  test.each<[what: string, options: LocalServicesOptions, error: string | undefined]>([
    [
      'fails if its worker stops reporting',
      { heartbeatSilenceSeconds: 0.2, faults: [{ name: 'stuck-heartbeat' }] },
      'The worker stopped reporting: its heartbeat was silent for too long.',
    ],
    [
      'does not fail while its worker reports, however long it takes',
      { heartbeatSilenceSeconds: 0.3, jobMs: 1200 },
      undefined,
    ],
    [
      'fails at its time limit (8)',
      { timeLimitSeconds: 0.2, jobMs: 60_000 },
      'The job was stopped at its time limit.',
    ],
  ])('%s', async (_what, options, error) => {
    const { result } = await runSequence(await start(options));
    expect(result.status).toBe(error === undefined ? 200 : 422);
    expect(result.body.error).toBe(error);
  });
});

test('4.4 and 7: an unknown id, an unknown path and the job of a molecule are 404', async () => {
  const { body: molecule } = await submitMolecule(services);
  for (const path of [`results/${UNKNOWN}/`, `results/${UNKNOWN}/history/`]) {
    const { status, body } = await get(`${api(services)}/${path}`);
    expect([status, body]).toEqual([404, { error: 'Request not found' }]);
  }
  for (const path of [`results/${molecule.hash_id}/`, 'results/not-an-id/', 'nosuch/']) {
    const { status, body } = await get(`${api(services)}/${path}`);
    expect([status, body]).toEqual([404, { error: expect.any(String) }]);
  }
});

async function download(
  url: string,
  format: string,
  headers: Record<string, string> = OWNER,
): Promise<Answer> {
  return get(`${url}download/?format=${format}`, headers);
}

describe('4.6 download', () => {
  test('of each format', async () => {
    const { url, result } = await runSequence(services);
    expect((await download(url, 'json')).text).toBe(result.text);
    const input = await download(url, 'input');
    expect(input.text).toBe(FASTA);
    expect(input.headers.get('Content-Disposition')).toContain('attachment');
    const csv = await download(url, 'csv');
    expect(csv.headers.get('Content-Type')).toContain('text/csv');
    expect(csv.text.trim().split('\n'), 'a head, and a line per residue').toHaveLength(21);
    expect((await download(url, 'metadata')).text.trim().split('\n')).toHaveLength(2);
    const ack = await submitAlignment(services);
    await ended(ack);
    const distributions = await download(resultsUrl(services, ack), 'distributions');
    expect(distributions.body).toMatchObject({ results: { backbone: { median: { length: 8 } } } });
    const other = url.replace('/api/', '/');
    expect((await download(other, 'json')).text, 'the path of one sample').toBe(result.text);
    expect((await download(other, 'json', {})).status).toBe(401);
    const own = await runSequence(services, { token: 'tök…' });
    // The bytes of UTF-8, as a header has them.
    const token = Buffer.from('tök…').toString('latin1');
    expect((await download(own.url, 'json', { 'X-Service-Token': token })).status).toBe(200);
  });

  test('of another format, of nobody, of another owner, too early, and of a failure', async () => {
    const { url } = await runSequence(services);
    const failed = await runSequence(services, { predictor_type: 'nosuch' });
    const another = { 'X-Service-Token': 'another' };
    const LONG = { 'X-Service-Token': 'x'.repeat(101) };
    const alignment = `${api(services)}/past-results/shiftcrypt/alignment/`;
    const refused = [
      [404, download(url, 'distributions'), 'This result has no distributions.'],
      [400, download(url, 'zip'), 'format is required and must be one of'],
      [400, get(`${url}download/`, OWNER), 'format is required and must be one of'],
      [401, download(url, 'json', {}), 'X-Service-Token is required'],
      [400, download(url, 'json', LONG), 'at most 100 characters'],
      [400, get(`${api(services)}/past-results/msa/`, LONG), 'at most 100 characters'],
      [400, get(`${alignment}?token=${'x'.repeat(101)}`), 'at most 100 characters'],
      [403, download(url, 'json', another), 'belongs to another token'],
      [404, download(`${api(services)}/results/${UNKNOWN}/`, 'json'), 'Request not found'],
      [409, download(resultsUrl(busy, running), 'input'), 'not finished yet'],
      [422, download(failed.url, 'json'), 'nosuch'],
    ] as const;
    for (const [status, answer, words] of refused) {
      const { body, text, status: seen } = await answer;
      expect([seen, body.error]).toEqual([status, expect.stringContaining(words)]);
      expect(text, 'nothing of the result').not.toContain('backbone');
    }
  });
});

describe('4.7 and 2.7 past-results', () => {
  test('list every request of the token by type, the newest first, with the timing block', async () => {
    const own = await start();
    const first = await runSequence(own, { job_name: 'first' });
    await runSequence(own, { job_name: 'second', predictor_type: 'nosuch' });
    await submitAlignment(own, { job_name: 'third' });
    await submitSequence(own, { token: 'another', job_name: 'not mine' });
    const past = (type: string, headers: Record<string, string> = OWNER): Promise<Answer> =>
      get(`${api(own)}/past-results/${type}/`, headers);
    const { status, list } = await past('single-sequence');
    expect(status).toBe(200);
    const timing = expect.objectContaining({ time_limit_seconds: 3600 });
    expect(list).toMatchObject([
      { job_name: 'second', status: 'FAILED', timing },
      { job_name: 'first', status: 'FINISHED', timing, request_id: first.id },
    ]);
    expect((await past('msa')).list.map((entry) => entry.job_name)).toEqual(['third']);
    expect((await past('shiftcrypt')).list).toEqual([]);
    for (const type of ['single-sequence', 'msa', 'shiftcrypt']) {
      expect((await past(type, {})).status).toBe(401);
    }
  });
});

test('4.8 the chains of finished shift predictions; the token is in the query', async () => {
  const token = 'of shifts only';
  const ack = await submitShifts(services, { token, job_name: 'shifts' });
  await ended(ack);
  const url = `${api(services)}/past-results/shiftcrypt/alignment/`;
  const { status, body } = await get(`${url}?token=${encodeURIComponent(token)}`);
  const chain = { chainCode: 'A', sequence: ['M', 'K', 'V'], seqCodes: [11, 12, 13] };
  const chains = [{ ID_file: expect.any(String), ...chain }];
  expect(status).toBe(200);
  expect(body).toEqual([{ request_id: ack.body.request_id, job_name: 'shifts', chains }]);
  expect((await get(`${url}?token=nobody`)).body).toEqual([]);
  expect((await get(url, OWNER)).status, 'the header is not for this one').toBe(400);
});

describe('7 (429) and 8: limits', () => {
  test('100 jobs in a rolling hour by default; the 101st is 429', async () => {
    const own = await start();
    for (let n = 0; n < 100; n += 1) {
      const { status, headers } = await submitSequence(own);
      expect(status).toBe(200);
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(99 - n));
      const reset = Number(headers.get('X-RateLimit-Reset'));
      expect(reset).toBeGreaterThan(3500);
      expect(reset).toBeLessThanOrEqual(3600);
    }
    const { status, body, headers } = await submitSequence(own);
    expect(status).toBe(429);
    const error = 'More than 100 jobs in the rolling window for this token.';
    expect(body).toEqual({ error, limit: 100, remaining: 0, reset_after: body.reset_after });
    expect(Number.isInteger(body.reset_after)).toBe(true);
    expect(headers.get('Retry-After')).toBe(String(body.reset_after));
  });

  test('one window for all three endpoints, another for another token', async () => {
    const own = await start({ limit: 3 });
    const statuses: number[] = [];
    for (const submit of [...SUBMITS, ...SUBMITS]) statuses.push((await submit(own)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    expect((await submitSequence(own, { token: 'another' })).status).toBe(200);
  });

  test('refusals use no slot, a job that will fail does', async () => {
    const own = await start({ limit: 2 });
    await submitSequence(own, { job_name: 'used' });
    await submitSequence(own, { sequence: '' });
    await submitSequence(own, { job_name: 'used' });
    await submitAlignment(own, { msa_data: '>one\nMK\n' });
    const { headers } = await submitSequence(own, { predictor_type: 'nosuch' });
    expect(headers.get('X-RateLimit-Remaining')).toBe('0');
  });

  test('a client that waits for Retry-After is not refused again, after any number of 429', async () => {
    const own = await start({ limit: 1, windowMs: 1200 });
    await submitSequence(own);
    const answers = await Promise.all(Array.from({ length: 5 }, () => submitSequence(own)));
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    const seconds = Number(answers.at(-1)?.headers.get('Retry-After'));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    expect((await submitSequence(own)).status).toBe(200);
  });

  test('the second limit is for a network address, whatever the token', async () => {
    const own = await start({ limit: 2, addressLimit: 3 });
    for (const token of ['one', 'two', 'three']) await submitSequence(own, { token });
    const { status, body, headers } = await submitSequence(own, { token: 'four' });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      limit: 3,
      remaining: 0,
      error: expect.stringMatching(/network address/),
    });
    expect(headers.get('Retry-After')).not.toBeNull();
  });
});

test('the journal has every submission that arrived, and no token, also after the end', async () => {
  const own = await start({ limit: 1 });
  const { body } = await submitSequence(own, { job_name: 'a job' });
  await submitSequence(own);
  await submitSequence(own, { sequence: '' });
  await submitMolecule(own);
  await own.close();
  const token = expect.stringMatching(/^[0-9a-f]{12}$/);
  const predictions = { service: 'predictions', endpoint: 'single_sequence', token };
  const first = { jobName: 'a job', requestId: body.request_id };
  expect(own.journal()).toMatchObject([
    { ...predictions, ...first, accepted: true, status: 200 },
    { ...predictions, accepted: false, status: 429 },
    { ...predictions, accepted: false, status: 400 },
    { service: 'molecules', endpoint: 'molecule', accepted: true, status: 200 },
  ]);
  expect(own.journal()[0]?.token).toBe(own.journal()[1]?.token);
  expect(JSON.stringify(own.journal())).not.toContain(TOKEN);
});

describe('9 the earlier variant', async () => {
  const earlier = await startForFile({ variant: 'earlier' });
  const base = `${earlier.url}/online-predictors/api`;
  const submit = (predictor_type: string): Promise<Answer> =>
    postJson(`${base}/submit/single-sequence/`, { token: TOKEN, predictor_type, sequence: FASTA });
  const endOf = ({ body }: Answer): Promise<Answer> => until(`${base}/results/${body.request_id}/`);

  test('9.1 and 9.3 its path has hyphens, its acknowledgement two fields', async () => {
    const { status, body } = await submit('dynamine');
    expect(status).toBe(200);
    expect(body).toEqual({ request_id: expect.any(String), status: 'enqueued' });
    expect((await submitSequence(earlier)).status, 'underscores').toBe(404);
  });

  test('9.2 and 9.6 its predictors have other names, its failures only an error', async () => {
    const { body } = await endOf(await submit('dynamine,disomine,earlyfolding,agmata,psp'));
    expect(body).toMatchObject({
      results: {
        prediction: {
          proteins: {
            one: Object.fromEntries(
              ['backbone', 'earlyFolding', 'disoMine', 'agmata', 'RRM'].map((key) => [
                key,
                expect.anything(),
              ]),
            ),
          },
        },
      },
    });
    const failed = await endOf(await submit('efoldmine,psper'));
    expect(failed.status).toBe(422);
    expect(failed.body).toEqual({ error: 'Invalid predictor types: efoldmine, psper' });
  });

  test('9.4 shift data is multipart, in nef_file or nrm_star_file', async () => {
    const url = `${base}/submit/shiftcrypt/`;
    const file = { file: NEF };
    for (const field of ['nef_file', 'nrm_star_file']) {
      const { body } = await endOf(await postForm(url, { token: TOKEN, [field]: file }));
      expect(body).toMatchObject({ results: { prediction: [{ sequence: ['M', 'K', 'V'] }] } });
    }
    const both = { token: TOKEN, nef_file: file, nrm_star_file: file };
    const refused = [
      await postJson(url, { token: TOKEN, chemical_shifts: NEF }),
      await postForm(url, both),
      await postForm(url, { token: TOKEN }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [400, 'The body must be multipart/form-data.'],
      [400, 'Give nef_file or nrm_star_file, not both.'],
      [400, 'nef_file or nrm_star_file is required.'],
    ]);
  });

  test('9.5 a finished result is wrapped', async () => {
    const { status, body } = await endOf(await submit('dynamine'));
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['status', 'predictor', 'timestamp', 'results']);
    const sequence = 'MKVLAAGIVGLCAKAYLEQW';
    const prediction = expect.objectContaining({ proteins: { one: expect.anything() } });
    expect(body).toMatchObject({ status: 'success', predictor: 'dynamine' });
    expect(body.results).toEqual({ sequence, prediction });
    const msa = { token: TOKEN, msa_data: ALIGNMENT };
    const aligned = await endOf(await postJson(`${base}/submit/msa/`, msa));
    expect(aligned.body).toMatchObject({ predictor: 'msa', results: { sequence: ALIGNMENT } });
  });

  test('9.6 an unfinished job has only RUNNING', async () => {
    earlier.faults.set([{ name: 'stuck-heartbeat' }]);
    const { body } = await submit('dynamine');
    const { status, body: seen, headers } = await get(`${base}/results/${body.request_id}/`);
    expect([status, seen]).toEqual([202, { status: 'RUNNING' }]);
    expect(headers.get('Retry-After')).toBe('5');
  });
});
