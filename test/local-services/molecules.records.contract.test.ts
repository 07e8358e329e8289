/** The contract of the molecule service: records, states, files. Named after its sections. */
import { describe, expect, test } from 'vitest';
import {
  fileSet,
  get,
  MOLECULE,
  start,
  submitMolecule,
  submitSequence,
  until,
} from './running-services.ts';

/** 2.5, in its order. */
const FILE_KEYS = [
  'em_mdp',
  'md_mdp',
  'AC_frcmod',
  'AC_inpcrd',
  'AC_lib',
  'AC_prmtop',
  'mol2',
  'CHARMM_inp',
  'CHARMM_prm',
  'CHARMM_rtf',
  'CNS_inp',
  'CNS_par',
  'CNS_top',
  'GMX_OPLS_itp',
  'GMX_OPLS_top',
  'GMX_gro',
  'GMX_itp',
  'GMX_top',
  'NEW_pdb',
];

describe('2.3 unfinished-job record and 4.3 the status endpoint', () => {
  test('answers 202 with the record', async () => {
    const services = await start({ jobMs: 60_000, concurrency: 1 });
    await submitMolecule(services);
    const { body: ack } = await submitMolecule(services);
    const { status, body } = await get(services.moleculesUrl + ack.Location);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.any(Number),
      request_text: expect.stringContaining('pending: 2'),
      location: 'not_available',
      status: 202,
      hash_id: ack.hash_id,
      public: false,
    });
    expect(Number.isInteger(body.id)).toBe(true);
  });

  test('needs neither token nor header', async () => {
    const services = await start();
    const { body: ack } = await submitMolecule(services);
    expect((await until(services.moleculesUrl + ack.Location)).status).toBe(200);
  });
});

describe('2.4 finished-job record', () => {
  test.each(['recorded', 'synthetic'] as const)('of the %s engine', async (engine) => {
    const services = await start({ engine });
    const { body: ack } = await submitMolecule(services);
    const { status, body } = await until(services.moleculesUrl + ack.Location);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      [
        'id',
        'creation_date',
        'token',
        'hash_id',
        'log',
        'views',
        'result_request',
        'results',
      ].sort(),
    );
    expect(body).toMatchObject({
      creation_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/),
      token: MOLECULE.token,
      hash_id: ack.hash_id,
      views: 0,
      result_request: {
        id: body.id,
        request_text: expect.any(String),
        location: `/api/${ack.hash_id}/`,
        status: 200,
        hash_id: ack.hash_id,
        public: false,
      },
    });
    expect(body.log).not.toBe('');
  });

  test('is the same from the status and from the results endpoint', async () => {
    const services = await start({ engine: 'recorded' });
    const { body: ack } = await submitMolecule(services);
    const status = await until(services.moleculesUrl + ack.Location);
    const results = await get(`${services.moleculesUrl}/api/${ack.hash_id}/`);
    expect(results.body).toEqual(status.body);
  });
});

describe('2.5 result file set', () => {
  test.each(['recorded', 'synthetic'] as const)(
    '19 files of text from the %s engine',
    async (engine) => {
      const services = await start({ engine });
      const { body: ack } = await submitMolecule(services);
      const set = fileSet(await until(services.moleculesUrl + ack.Location));
      expect(Object.keys(set).sort()).toEqual([...FILE_KEYS].sort());
      for (const key of FILE_KEYS) {
        expect(set[key], key).toEqual(expect.any(String));
        expect(set[key], key).not.toBe('');
      }
    },
  );
});

describe('3 states and transitions', () => {
  test('enqueued/processing answers 202, done answers 200', async () => {
    const services = await start({ jobMs: 200 });
    const { body: ack } = await submitMolecule(services);
    expect((await get(services.moleculesUrl + ack.Location)).status).toBe(202);
    expect((await until(services.moleculesUrl + ack.Location)).status).toBe(200);
  });

  test('a failed job is done with an empty result set, and shows the reason', async () => {
    const services = await start({ engine: 'recorded' });
    const { body: ack } = await submitMolecule(services, { smiles: '[Fe]', file_name: 'iron' });
    const { status, body } = await until(services.moleculesUrl + ack.Location);
    expect(status).toBe(200);
    expect(body.results).toEqual([{}]);
    expect(body.result_request.status).toBe(422);
    expect(body.result_request.request_text).toContain('ACPYPE FAILED');
    expect(body.log, 'the whole log of the engine').toContain('Parmchk failed');
  });
});

describe('4.4 results endpoint', () => {
  test('returns the unfinished record, without results, while the job is unfinished', async () => {
    const services = await start({ jobMs: 60_000 });
    const { body: ack } = await submitMolecule(services);
    const { status, body } = await get(`${services.moleculesUrl}/api/${ack.hash_id}/`);
    expect(status).toBe(202);
    expect(body).not.toHaveProperty('results');
  });
});

describe('7 errors', () => {
  test('unknown ids are 404 with an error, on both endpoints', async () => {
    const services = await start();
    for (const path of ['/api/queue/nosuch/', '/api/nosuch/', '/api/queue/']) {
      const { status, body } = await get(services.moleculesUrl + path);
      expect(status, path).toBe(404);
      expect(body.error, path).toEqual(expect.any(String));
    }
  });

  test('a job of the prediction service is not readable here', async () => {
    const services = await start();
    const { body } = await submitSequence(services);
    expect((await get(`${services.moleculesUrl}/api/${body.request_id}/`)).status).toBe(404);
  });
});
