import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/services/service.ts';
import { createClient } from '../../../src/services/registry.ts';
import { moleculeName } from '../../../src/services/molecules.ts';
import { JOBS, quiet, TOKEN } from '../jobs.ts';
import { httpServer, json, type SeenRequest } from '../scripted-server.ts';

async function sent(job: Job): Promise<{ request: SeenRequest; body: unknown }> {
  await using server = await httpServer((_, response) => json(response, 200, { hash_id: 'h1' }));
  const client = createClient({ service: 'molecules', url: `${server.url}/acpype/`, token: TOKEN });
  expect(await client.submit(job, quiet())).toEqual({
    type: 'accepted',
    remoteId: 'h1',
    rateLimit: null,
  });
  await client.close();
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return { request, body: JSON.parse(request.body) };
}

describe('the body of a submission (contract 2.1): all eight keys, always', () => {
  test('a SMILES', async () => {
    const { request, body } = await sent(JOBS.molecule);
    expect(`${request.method} ${request.path}`).toBe('POST /acpype/api');
    expect(request.headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      inputFile: null,
      file_name: 'Ethanol',
      token: TOKEN,
      charge_method: 'bcc',
      net_charge: null,
      atom_type: 'gaff2',
      email: null,
      smiles: 'CCO',
    });
  });

  test.each(['pdb', 'mol2', 'sdf', 'mdl'])('a .%s file, its extension kept', async (extension) => {
    const text = 'HETATM    1  C   LIG\r\nEND\n';
    const { body } = await sent({
      ...JOBS.molecule,
      options: { kind: 'molecule', chargeMethod: 'gas', netCharge: -1, atomType: 'amber' },
      input: { name: `input.${extension}`, text },
      title: null,
      email: 'a@b.invalid',
    });
    expect(body).toEqual({
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

  test('a ninth key only if jobs are to be public (contract 1.6)', async () => {
    await using server = await httpServer((_, response) => json(response, 200, { hash_id: 'h1' }));
    const url = `${server.url}/acpype/`;
    for (const isPublic of [true, false]) {
      const client = createClient({
        service: 'molecules',
        url,
        token: TOKEN,
        config: { public: isPublic },
      });
      await client.submit(JOBS.molecule, quiet());
      await client.close();
    }
    const [listed, other] = server.requests.map(({ body }) => JSON.parse(body) as object);
    expect(listed).toMatchObject({ public: true, smiles: 'CCO' });
    expect(Object.keys(other ?? {})).toHaveLength(8);
  });

  test('a net charge of 0 is sent, not omitted', async () => {
    const options = { ...JOBS.molecule.options, netCharge: 0 } as Job['options'];
    expect((await sent({ ...JOBS.molecule, options })).body).toHaveProperty('net_charge', '0');
  });
});

test.each([
  ['L-Alanine (zwitterion)', 'L-Alanine_zwitterion'],
  ['Caféine à 1 %', 'Cafeine_a_1'],
  ['../../etc/passwd', 'etc_passwd'],
  ['-rf', 'rf'],
  ['a\'b"c$(x)', 'a_b_c_x'],
  ['β-naphthol', 'naphthol'],
  ['', 'fallback'],
  ['水', 'fallback'],
  ['x'.repeat(200), 'x'.repeat(60)],
])('the title %j names the molecule %s', (title, name) => {
  expect(moleculeName(title, 'fallback')).toBe(name);
});

test.each([
  [{ hash_id: 'h1' }, {}],
  [{ Location: '/api/queue/h1/' }, {}],
  [{ location: 'https://x.invalid/acpype/api/queue/h1' }, {}],
  [{}, { location: '/acpype/api/queue/h1/' }],
])('the id is read from %j, headers %j', async (body, headers) => {
  await using server = await httpServer((_, response) => json(response, 201, body, { ...headers }));
  const client = createClient({ service: 'molecules', url: server.url, token: TOKEN });
  expect(await client.submit(JOBS.molecule, quiet())).toMatchObject({ remoteId: 'h1' });
  await client.close();
});

test('the id of a database row is not a job id', async () => {
  await using server = await httpServer((_, response) => json(response, 200, { id: 7 }));
  const client = createClient({ service: 'molecules', url: server.url, token: TOKEN });
  expect((await client.submit(JOBS.molecule, quiet())).type).toBe('unsure');
  await client.close();
});
