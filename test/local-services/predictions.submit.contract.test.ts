/** The contract of the prediction service: submissions. Named after its sections. */
import { describe, expect, test } from 'vitest';
import {
  ALIGNMENT,
  api,
  FASTA,
  get,
  NEF,
  postForm,
  postJson,
  protein,
  residues,
  runSequence,
  start,
  submitAlignment,
  submitSequence,
  submitShifts,
  TOKEN,
  until,
} from './running-services.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('1 what the service does', () => {
  test('1.6 a POST without its trailing slash is answered with an error and not redirected', async () => {
    const services = await start();
    const body = { token: TOKEN, predictor_type: 'dynamine', sequence: FASTA };
    const answer = await postJson(`${api(services)}/submit/single-sequence`, body);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toContain('trailing slash');
    expect(services.journal(), 'nothing was submitted').toEqual([]);
  });
});

describe('2.1 token', () => {
  test('of 100 characters is accepted, of 101 refused', async () => {
    const services = await start();
    expect((await submitSequence(services, { token: 'x'.repeat(100) })).status).toBe(200);
    const refused = await submitSequence(services, { token: 'x'.repeat(101) });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ error: 'token must be at most 100 characters.' });
  });
});

describe('2.2 submission acknowledgement', () => {
  test('is the same on all three submit endpoints, with the rate-limit headers', async () => {
    const services = await start();
    for (const submit of [submitSequence, submitAlignment, submitShifts]) {
      const { status, body, headers } = await submit(services);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['request_id', 'task_id', 'status', 'message']);
      expect(body.request_id).toMatch(UUID);
      expect(body.task_id).toMatch(UUID);
      expect(body.status).toBe('enqueued');
      expect(body.message).not.toBe('');
      expect(headers.get('X-RateLimit-Limit')).toBe('100');
    }
  });
});

describe('4.1 submit/single-sequence/', () => {
  test('accepts one predictor, or several separated by commas', async () => {
    const services = await start();
    const one = await runSequence(services);
    expect(Object.keys(protein(one.result))).not.toContain('disoMine');
    const four = await runSequence(services, {
      predictor_type: 'dynamine, disomine,efoldmine,agmata',
    });
    const keys = Object.keys(protein(four.result));
    expect(keys).toEqual(
      expect.arrayContaining(['backbone', 'disoMine', 'earlyFolding', 'agmata']),
    );
  });

  test('accepts a plain sequence and adds a header', async () => {
    const services = await start();
    const { result } = await runSequence(services, { sequence: 'MKVL\nAAGI' });
    expect(Object.keys(result.body.proteins)).toEqual(['sequence']);
    expect(residues(result, 'sequence')).toBe('MKVLAAGI');
  });

  test('accepts a file in a multipart form', async () => {
    const services = await start();
    const answer = await postForm(`${api(services)}/submit/single-sequence/`, {
      token: TOKEN,
      predictor_type: 'dynamine',
      job_name: 'from a file',
      fasta_file: { file: FASTA },
    });
    expect(answer.status, answer.text).toBe(200);
    const result = await until(`${api(services)}/results/${answer.body.request_id}/`);
    expect(residues(result)).toBe('MKVLAAGIVGLCAKAYLEQW');
  });

  test('refuses a file that is not UTF-8 text', async () => {
    const services = await start();
    const answer = await postForm(`${api(services)}/submit/single-sequence/`, {
      token: TOKEN,
      predictor_type: 'dynamine',
      fasta_file: { file: new Uint8Array([0x3e, 0xe9, 0x0a, 0x4d]) },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('UTF-8');
  });

  test('accepts invalid predictor names; the job fails and lists them', async () => {
    const services = await start();
    const { result } = await runSequence(services, { predictor_type: 'dynamine,nosuch,DynaMine' });
    expect(result.status).toBe(422);
    expect(result.body.status).toBe('FAILED');
    expect(result.body.error).toBe('Invalid predictor types: nosuch, DynaMine');
  });
});

describe('4.2 submit/msa/', () => {
  test('accepts an alignment as text and as a file', async () => {
    const services = await start();
    const text = await submitAlignment(services);
    const file = await postForm(`${api(services)}/submit/msa/`, {
      token: TOKEN,
      msa_file: { file: ALIGNMENT },
    });
    for (const { status, body } of [text, file]) {
      expect(status).toBe(200);
      const result = await until(`${api(services)}/results/${body.request_id}/`);
      expect(result.body.sequences['two']?.join('')).toBe('MK-LAAGI');
      expect(protein(result, 'two')['backbone']?.[2]).toBeNull();
    }
  });
});

describe('4.3 submit/shiftcrypt/', () => {
  test('accepts shifts as text and as a file, in each model class', async () => {
    const services = await start();
    for (const model_class of ['1', '2', '3']) {
      expect((await submitShifts(services, { model_class })).status).toBe(200);
    }
    const file = await postForm(`${api(services)}/submit/shiftcrypt/`, {
      token: TOKEN,
      chemical_file: { file: NEF },
      original_numbering: 'false',
    });
    expect(file.status, file.text).toBe(200);
    const result = await until(`${api(services)}/results/${file.body.request_id}/`);
    expect(result.list[0]?.sequence.join('')).toBe('MKV');
    expect(result.list[0]?.seqCodes).toEqual([1, 2, 3]);
  });

  test('original_numbering is true by default', async () => {
    const services = await start();
    const { body } = await submitShifts(services);
    const result = await until(`${api(services)}/results/${body.request_id}/`);
    expect(result.list[0]?.seqCodes).toEqual([11, 12, 13]);
  });
});

test('4.1, 4.2 and 4.3 refuse everything else with 400 and the reason', async () => {
  const services = await start();
  const refused = [
    [submitSequence, { sequence: undefined }, 'sequence is required'],
    [submitSequence, { sequence: ' \n' }, 'sequence is required'],
    [submitSequence, { predictor_type: undefined }, 'predictor_type is required'],
    [submitSequence, { predictor_type: ' , ' }, 'predictor_type is required'],
    [submitSequence, { sequence: 7 }, 'sequence must be a string'],
    [submitAlignment, { msa_data: '>one\nMKVL\n' }, 'at least two sequences'],
    [
      submitAlignment,
      { msa_data: '>one\nMKVL\n>two\nMK\n' },
      'padded to the same length with "-"; found lengths 4, 2',
    ],
    [submitAlignment, { msa_data: 'MKVL\n>one\nMKVL\n>two\nMKVL\n' }, 'begins with ">"'],
    [submitShifts, { model_class: '4' }, 'model_class must be one of 1, 2, 3'],
    [submitShifts, { model_class: 1 }, 'model_class must be a string'],
    [submitShifts, { original_numbering: 'true' }, 'original_numbering must be'],
    [submitShifts, { chemical_shifts: '' }, 'chemical_shifts is required'],
  ] as const;
  for (const [submit, change, words] of refused) {
    const { status, body } = await submit(services, change);
    expect([status, body.error]).toEqual([400, expect.stringContaining(words)]);
  }
});

describe('5 authentication', () => {
  test('5.4 a missing token is refused with the same message on all three endpoints', async () => {
    const services = await start();
    const answers = [
      await submitSequence(services, { token: undefined }),
      await submitAlignment(services, { token: '' }),
      await submitShifts(services, { token: null }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(body).toEqual({ error: 'token is required.' });
    }
  });
});

describe('7 errors and 8 limits: job_name', () => {
  test('of 120 characters is accepted, of 121 refused, with the same message on all three', async () => {
    const services = await start();
    expect((await submitAlignment(services, { job_name: 'n'.repeat(120) })).status).toBe(200);
    for (const submit of [submitSequence, submitAlignment, submitShifts]) {
      const { status, body } = await submit(services, { job_name: 'n'.repeat(121) });
      expect(status).toBe(400);
      expect(body).toEqual({ error: 'job_name must be at most 120 characters.' });
    }
  });

  test('is unique for a token across the three endpoints, and free for another token', async () => {
    const services = await start();
    expect((await submitSequence(services, { job_name: 'mine' })).status).toBe(200);
    for (const submit of [submitSequence, submitAlignment, submitShifts]) {
      const { status, body } = await submit(services, { job_name: 'mine' });
      expect(status).toBe(409);
      expect(body).toEqual({ error: 'job_name is already used by another job of this token.' });
    }
    const other = await submitSequence(services, { job_name: 'mine', token: 'another' });
    expect(other.status).toBe(200);
  });

  test('may be omitted any number of times', async () => {
    const services = await start();
    for (const job_name of [undefined, '', null]) {
      expect((await submitSequence(services, { job_name })).status).toBe(200);
    }
  });
});

describe('7 errors: every refusal is an object with `error`', () => {
  test('broken JSON, another content type, an array, an unknown path', async () => {
    const services = await start();
    const url = `${api(services)}/submit/msa/`;
    const answers = [
      [400, await postJson(url, '{"token": ')],
      [400, await postJson(url, [])],
      [404, await get(`${api(services)}/nosuch/`)],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expect(answer.body.error).toEqual(expect.any(String));
    }
    const text = await fetch(url, { method: 'POST', body: 'token=x' });
    expect(text.status).toBe(415);
    expect(await text.json()).toEqual({ error: expect.any(String) });
  });
});
