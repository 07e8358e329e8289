/** The contract of the molecule service, named after its sections. */
import { describe, expect, test } from 'vitest';
import {
  fileSet,
  get,
  MOLECULE,
  runMolecule,
  start,
  startForFile,
  submitMolecule,
  submitSequence,
} from './running-services.ts';

const services = await startForFile();
const busy = await startForFile({ jobMs: 600_000, concurrency: 1 });

/** Coordinate files with this number of carbon atoms. */
function pdb(atoms: number): string {
  const lines = Array.from(
    { length: atoms },
    (_, n) =>
      `HETATM${String(n + 1).padStart(5)}  C   LIG     1      10.000  10.000  10.000  1.00  0.00           C`,
  );
  return `${lines.join('\n')}\nEND\n`;
}

function mol2(atoms: number): string {
  const lines = Array.from({ length: atoms }, (_, n) => `${n + 1} C 0.0 0.0 0.0 C.3 1 LIG 0.0`);
  return `@<TRIPOS>MOLECULE\nx\n${atoms} 0\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n${lines.join('\n')}\n@<TRIPOS>BOND\n1 1 2 1\n`;
}

function sdf(atoms: number): string {
  const counts = `${String(atoms).padStart(3)}  0  0  0  0  0  0  0  0  0999 V2000`;
  const line = '    0.0000    0.0000    0.0000 C   0  0';
  return `x\n made\n\n${counts}\n${Array.from({ length: atoms }, () => line).join('\n')}\nM  END\n`;
}

const file = (file_name: string, inputFile: string) => ({ smiles: null, file_name, inputFile });
const models = [1, 2].map((n) => `MODEL ${n}\n${pdb(150).replace('END\n', 'ENDMDL\n')}`).join('');
const files = (atoms: number) => [
  file('molecule.pdb', pdb(atoms)),
  file('molecule.mol2', mol2(atoms)),
  file('molecule.sdf', sdf(atoms)),
  file('molecule.mdl', sdf(atoms)),
];

test('2.1, 2.2 and 4.2: accepts what the contract names', async () => {
  const accepted = [
    { email: 'someone@example.org' },
    ...['bcc', 'gas'].map((charge_method) => ({ charge_method })),
    ...['gaff', 'gaff2', 'amber'].map((atom_type) => ({ atom_type })),
    ...[null, '0', '-1', '+2'].map((net_charge) => ({ net_charge })),
    // The limit of 200 atoms is for files, and for one model.
    { smiles: 'C'.repeat(250) },
    file('two.pdb', models),
    ...files(200),
  ];
  for (const change of accepted) {
    const { status, text, body } = await submitMolecule(services, change);
    expect([status, text, change]).toEqual([200, text, change]);
    expect(Object.keys(body)).toEqual(['Location', 'hash_id', 'message']);
    expect(body.hash_id).toMatch(/^[A-Za-z0-9]+$/);
    expect(body.Location).toBe(`/api/queue/${body.hash_id}/`);
    expect(body.message).toMatch(/processed.*queue/);
  }
});

test('2.1, 4.2 and 7: refuses everything else, with the reason', async () => {
  const refused: readonly (readonly [change: Record<string, unknown>, words: string])[] = [
    [{ smiles: null }, 'exactly one of smiles and inputFile'],
    [{ inputFile: pdb(3), file_name: 'three.pdb' }, 'exactly one of smiles and inputFile'],
    [{ charge_method: 'bbc' }, 'one of bcc, gas (bbc is a misspelling of bcc).'],
    [{ charge_method: 'abcg2' }, 'one of bcc, gas.'],
    [{ atom_type: 'opls' }, 'atom_type must be one of'],
    [{ net_charge: '1.0' }, 'net_charge must be'],
    [{ net_charge: 1 }, 'net_charge must be a string'],
    [{ smiles: ' ' }, 'smiles must not be empty'],
    [{ file_name: '' }, 'file_name must not be empty'],
    [{ email: 7 }, 'email must be a string'],
    [{ token: 'ninechars' }, 'token must have 10 characters'],
    [{ token: 'elevenchars' }, 'token must have 10 characters'],
    [{ token: null }, 'token must be a string'],
    [{ charge_method: 'am1', token: 'x' }, '10 characters. charge_method must be one of bcc, gas.'],
    ...Object.keys(MOLECULE).map((key) => [{ [key]: undefined }, `lacks ${key}`] as const),
    ...files(201).map((change) => [change, '201 atoms'] as const),
    [file('molecule', pdb(3)), 'extension of a coordinate file'],
    [file('molecule.xyz', pdb(3)), 'extension of a coordinate file'],
  ];
  for (const [change, words] of refused) {
    const { status, body } = await submitMolecule(services, change);
    expect([status, body.error]).toEqual([400, expect.stringContaining(words)]);
  }
});

test('2.3, 4.3 and 4.4: an unfinished job answers 202 with its record, without results', async () => {
  await submitMolecule(busy);
  const { body: ack } = await submitMolecule(busy);
  for (const path of [ack.Location, `/api/${ack.hash_id}/`]) {
    const { status, body } = await get(busy.moleculesUrl + path);
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
  }
});

/** 2.5, in its order. */
const FILE_KEYS =
  'em_mdp md_mdp AC_frcmod AC_inpcrd AC_lib AC_prmtop mol2 CHARMM_inp CHARMM_prm CHARMM_rtf CNS_inp CNS_par CNS_top GMX_OPLS_itp GMX_OPLS_top GMX_gro GMX_itp GMX_top NEW_pdb';

describe('2.4 finished-job record and 2.5 its files', () => {
  test.each(['recorded', 'synthetic'] as const)('of the %s engine', async (engine) => {
    const own = await start({ engine });
    const { id: hash_id, result } = await runMolecule(own);
    expect(result.status).toBe(200);
    expect(result.body).toEqual({
      id: expect.any(Number),
      creation_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/),
      token: MOLECULE.token,
      hash_id,
      log: expect.stringMatching(/./),
      views: 0,
      result_request: {
        id: result.body.id,
        request_text: expect.any(String),
        location: `/api/${hash_id}/`,
        status: 200,
        hash_id,
        public: false,
      },
      results: [expect.anything()],
    });
    const set = fileSet(result);
    expect(Object.keys(set).sort()).toEqual(FILE_KEYS.split(' ').sort());
    for (const text of Object.values(set)) expect(text).toEqual(expect.stringMatching(/./));
    expect((await get(`${own.moleculesUrl}/api/${hash_id}/`)).text).toBe(result.text);
  });

  test('3 a failed job is done with an empty result set, and shows the reason', async () => {
    const own = await start({ engine: 'recorded' });
    const { result } = await runMolecule(own, { smiles: '[Fe]', file_name: 'iron' });
    expect(result.status).toBe(200);
    expect(result.body.results).toEqual([{}]);
    const request_text = expect.stringContaining('ACPYPE FAILED');
    expect(result.body.result_request).toMatchObject({ status: 422, request_text });
    expect(result.body.log, 'the whole log of the engine').toContain('Parmchk failed');
  });
});

test('7 unknown ids, and jobs of the prediction service, are 404 with an error', async () => {
  const { body: sequence } = await submitSequence(services);
  const ids = ['nosuch', sequence.request_id].flatMap((id) => [`queue/${id}/`, `${id}/`]);
  for (const path of [...ids, 'queue/']) {
    const { status, body } = await get(`${services.moleculesUrl}/api/${path}`);
    expect([path, status, body]).toEqual([path, 404, { error: expect.any(String) }]);
  }
});

test('8 no rate limit, unless configured: then a window of its own, with the same answer', async () => {
  const none = await start({ limit: 1 });
  await submitMolecule(none);
  const second = await submitMolecule(none);
  expect(second.status).toBe(200);
  expect(second.headers.get('X-RateLimit-Remaining')).toBeNull();

  const own = await start({ moleculeLimit: 1 });
  expect((await submitMolecule(own)).headers.get('X-RateLimit-Remaining')).toBe('0');
  const { status, body, headers } = await submitMolecule(own);
  expect(status).toBe(429);
  expect(body).toMatchObject({ limit: 1, remaining: 0, reset_after: expect.any(Number) });
  expect(headers.get('Retry-After')).toBe(String(body.reset_after));
  expect((await submitMolecule(own, { token: 'another10c' })).status).toBe(200);
});
