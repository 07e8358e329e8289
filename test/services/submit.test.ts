/** What is sent, and what is read from an acknowledgement. */
import { describe, expect, test } from 'vitest';
import type { Options } from '../../src/domain/campaign.ts';
import type { Job } from '../../src/services/service.ts';
import { chooseMoleculeName } from '../../src/services/molecules.ts';
import { clientAt, clientOfAnswer, JOBS, quiet, TOKEN } from './jobs.ts';
import { httpServer, json, type SeenRequest } from './scripted-server.ts';

const ID = '3f1c5a1e-0000-4000-8000-000000000001';
const MOLECULES = { service: 'molecules' } as const;

type Target = Parameters<typeof clientAt>[1] & { readonly path?: string };

async function sent(job: Job, { path = '', ...target }: Target = {}) {
  await using server = await httpServer((_, response) =>
    json(response, 202, { request_id: ID, hash_id: ID }),
  );
  const service = job.kind === 'molecule' ? 'molecules' : 'predictions';
  const outcome = await clientAt(server.url + path, { service, ...target }).submit(job, quiet());
  expect(outcome).toEqual({ type: 'accepted', remoteId: ID, rateLimit: null });
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  expect(JSON.stringify([request.path, request.headers])).not.toContain(TOKEN);
  return request;
}

const bodyOf = ({ body }: SeenRequest): unknown => JSON.parse(body);

describe('the body for a molecule (contract 2.1): all eight keys, always', () => {
  const SMILES = {
    inputFile: null,
    file_name: 'Ethanol',
    token: TOKEN,
    charge_method: 'bcc',
    net_charge: null,
    atom_type: 'gaff2',
    email: null,
    smiles: 'CCO',
  };

  test('a SMILES', async () => {
    const request = await sent(JOBS.molecule, { path: '/acpype/' });
    expect(`${request.method} ${request.path}`).toBe('POST /acpype/api');
    expect(request.headers['content-type']).toBe('application/json');
    expect(bodyOf(request)).toEqual(SMILES);
  });

  test.each(['pdb', 'mol2', 'sdf', 'mdl'])('a .%s file, its extension kept', async (extension) => {
    const text = 'HETATM    1  C   LIG\r\nEND\n';
    const request = await sent({
      ...JOBS.molecule,
      options: { kind: 'molecule', chargeMethod: 'gas', netCharge: -1, atomType: 'amber' },
      input: { name: `input.${extension}`, text },
      title: null,
      email: 'a@b.invalid',
    });
    expect(bodyOf(request)).toEqual({
      inputFile: text,
      file_name: `demo_ethanol_1a2b3c.${extension}`,
      token: TOKEN,
      charge_method: 'gas',
      net_charge: '-1',
      atom_type: 'amber',
      email: 'a@b.invalid',
      smiles: null,
    });
  });

  test('a net charge of 0 is sent, not omitted', async () => {
    const options = { ...JOBS.molecule.options, netCharge: 0 } as Options;
    const request = await sent({ ...JOBS.molecule, options });
    expect(bodyOf(request)).toHaveProperty('net_charge', '0');
  });

  test.each([
    ['L-Alanine (zwitterion)', 'L-Alanine_zwitterion'],
    ['Caféine à 1 %', 'Cafeine_a_1'],
    ['../../etc/passwd', 'etc_passwd'],
    ['-rf', 'rf'],
    ['a\'b"c$(x)', 'a_b_c_x'],
    ['', 'fallback'],
    ['水', 'fallback'],
    ['β-Lactam (Ø)', 'beta-Lactam_o'],
    ['x'.repeat(200), 'x'.repeat(60)],
  ])('the title %j names it %s', (title, name) => {
    expect(chooseMoleculeName(title, 'fallback')).toBe(name);
  });
});

describe('the body for a prediction', () => {
  test.each([
    [
      'single sequence (contract 4.1)',
      JOBS.sequence,
      'single-sequence',
      { predictor_type: 'dynamine,efoldmine,psper', sequence: JOBS.sequence.input.text },
    ],
    ['alignment (contract 4.2)', JOBS.alignment, 'msa', { msa_data: JOBS.alignment.input.text }],
    [
      'shifts (contract 4.3)',
      JOBS.shifts,
      'shiftcrypt',
      { chemical_shifts: JOBS.shifts.input.text, model_class: '2', original_numbering: false },
    ],
  ])('%s, also of a service below a path', async (_, job, endpoint, body) => {
    for (const path of ['', '/b2b', '/b2b/']) {
      const request = await sent(job, { path });
      const below = path.replace(/\/$/, '');
      expect(request.method).toBe('POST');
      expect(request.path).toBe(`${below}/online_predictors/api/submit/${endpoint}/`);
      expect(request.headers['content-type']).toBe('application/json');
      expect(bodyOf(request)).toEqual({ token: TOKEN, job_name: job.name, ...body });
    }
  });

  test('the earlier variant (contract 9) has hyphens in its path and other names for two predictors', async () => {
    const request = await sent(JOBS.sequence, { config: { variant: 'earlier' } });
    expect(request.path).toBe('/online-predictors/api/submit/single-sequence/');
    expect(bodyOf(request)).toHaveProperty('predictor_type', 'dynamine,earlyfolding,psp');
  });

  test.each([
    ['input.nef', 'nef_file'],
    ['input.str', 'nrm_star_file'],
  ])('the earlier variant gets %s as multipart field %s', async (name, field) => {
    const job = { ...JOBS.shifts, input: { name, text: 'data_x\n_é\n' } };
    const { headers, body } = await sent(job, { config: { variant: 'earlier' } });
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    const type = headers['content-type'] ?? '';
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    const boundary = type.slice(type.indexOf('=') + 1);
    const parts = body.split(`--${boundary}`).slice(1, -1);
    const read = parts.map((part) => {
      const [, head = '', text = ''] = /^\r\n(.*?)\r\n\r\n(.*)\r\n$/s.exec(part) ?? [];
      const [partName, fileName] = ['name', 'filename'].map(
        (key) => new RegExp(` ${key}="(.*?)"`).exec(head)?.[1],
      );
      return [partName, fileName === undefined ? text : [fileName, text]];
    });
    expect(Object.fromEntries(read)).toEqual({
      [field]: [name, job.input.text],
      token: TOKEN,
      job_name: job.name,
      model_class: '2',
      original_numbering: 'false',
    });
  });
});

describe('the id of the job', () => {
  test.each([
    [JOBS.sequence, { request_id: ID, task_id: 'x' }, {}, ID],
    [JOBS.sequence, { requestId: ID }, {}, ID],
    [JOBS.sequence, { id: ID }, {}, ID],
    [JOBS.sequence, { task_id: ID }, {}, null],
    [JOBS.molecule, { hash_id: 'h1' }, {}, 'h1'],
    [JOBS.molecule, { Location: '/api/queue/h1/' }, {}, 'h1'],
    [JOBS.molecule, { id: 7 }, {}, null],
  ])('%# is read, and nothing else is taken for it', async (job, body, headers, remoteId) => {
    const target = job.kind === 'molecule' ? MOLECULES : {};
    const { client } = await clientOfAnswer({ status: 201, body, headers: { ...headers } }, target);
    const outcome = await client.submit(job, quiet());
    expect(outcome).toMatchObject(remoteId === null ? { type: 'unsure' } : { remoteId });
  });
});

describe('the rate limit (contract 8)', () => {
  const [LIMIT, REMAINING] = ['x-ratelimit-limit', 'x-ratelimit-remaining'] as const;
  test.each([
    [
      'is read from its headers',
      { [LIMIT]: '100', [REMAINING]: '0' },
      { limit: 100, remaining: 0 },
    ],
    ['is null if it is unreadable', { [LIMIT]: 'many', [REMAINING]: '' }, null],
  ])('%s', async (_, headers, rateLimit) => {
    const { client } = await clientOfAnswer({ status: 202, body: { request_id: ID }, headers });
    expect(await client.submit(JOBS.sequence, quiet())).toMatchObject({ rateLimit });
  });

  test('is read from the body of a 429 as well (contract 7)', async () => {
    const body = { error: 'Rate limit exceeded', limit: 100, remaining: 0, reset_after: 30 };
    const { client } = await clientOfAnswer({
      status: 429,
      body,
      headers: { 'retry-after': '31' },
    });
    expect(await client.submit(JOBS.sequence, quiet())).toMatchObject({
      retryAfterMs: 31_000,
      rateLimit: { limit: 100, remaining: 0 },
    });
  });
});
