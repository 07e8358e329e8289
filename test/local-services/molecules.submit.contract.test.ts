/** The contract of the molecule service: submissions. Named after its sections. */
import { describe, expect, test } from 'vitest';
import { MOLECULE, start, submitMolecule } from './running-services.ts';

/** A PDB file with this number of carbon atoms. */
function pdb(atoms: number): string {
  const lines = Array.from(
    { length: atoms },
    (_, n) =>
      `HETATM${String(n + 1).padStart(5)}  C   LIG     1      10.000  10.000  10.000  1.00  0.00           C`,
  );
  return `${lines.join('\n')}\nEND\n`;
}

function mol2(atoms: number): string {
  const lines = Array.from(
    { length: atoms },
    (_, n) => `${String(n + 1)} C 0.0 0.0 0.0 C.3 1 LIG 0.0`,
  );
  return `@<TRIPOS>MOLECULE\nx\n${String(atoms)} 0\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n${lines.join('\n')}\n@<TRIPOS>BOND\n1 1 2 1\n`;
}

function sdf(atoms: number): string {
  const counts = `${String(atoms).padStart(3)}  0  0  0  0  0  0  0  0  0999 V2000`;
  const line = '    0.0000    0.0000    0.0000 C   0  0';
  return `x\n made\n\n${counts}\n${Array.from({ length: atoms }, () => line).join('\n')}\nM  END\n`;
}

const file = (file_name: string, inputFile: string) => ({ smiles: null, file_name, inputFile });
const models = [1, 2].map((n) => `MODEL ${n}\n${pdb(150).replace('END\n', 'ENDMDL\n')}`).join('');

test('2.1 and 4.2: accepts what the contract names', async () => {
  const services = await start();
  const accepted = [
    {},
    file('three.pdb', pdb(3)),
    ...['bcc', 'gas'].map((charge_method) => ({ charge_method })),
    ...['gaff', 'gaff2', 'amber'].map((atom_type) => ({ atom_type })),
    ...[null, '0', '-1', '+2'].map((net_charge) => ({ net_charge })),
    // The limit of 200 atoms is for files, and for one model.
    { smiles: 'C'.repeat(250) },
    file('two.pdb', models),
    file('molecule.pdb', pdb(200)),
    file('molecule.mol2', mol2(200)),
    file('molecule.sdf', sdf(200)),
    file('molecule.mdl', sdf(200)),
  ];
  for (const change of accepted) {
    const { status, text } = await submitMolecule(services, change);
    expect([status, text, change]).toEqual([200, text, change]);
  }
});

test('2.1, 4.2 and 7: refuses everything else, with the reason', async () => {
  const services = await start();
  const refused: readonly (readonly [change: Record<string, unknown>, words: string])[] = [
    [{ smiles: null }, 'exactly one of smiles and inputFile'],
    [{ inputFile: pdb(3), file_name: 'three.pdb' }, 'exactly one of smiles and inputFile'],
    [{ charge_method: 'bbc' }, 'one of bcc, gas (bbc is a misspelling of bcc).'],
    [{ atom_type: 'opls' }, 'atom_type must be one of'],
    [{ net_charge: '1.0' }, 'net_charge must be'],
    [{ net_charge: 1 }, 'net_charge must be a string'],
    [{ smiles: ' ' }, 'smiles must not be empty'],
    [{ file_name: '' }, 'file_name must not be empty'],
    [{ email: 7 }, 'email must be a string'],
    [{ token: 'ninechars' }, 'token must have 10 characters'],
    [{ token: 'elevenchars' }, 'token must have 10 characters'],
    [{ token: null }, 'token must be a string'],
    ...Object.keys(MOLECULE).map((key) => [{ [key]: undefined }, `lacks ${key}`] as const),
    [file('molecule.pdb', pdb(201)), '201 atoms'],
    [file('molecule.mol2', mol2(201)), '201 atoms'],
    [file('molecule.sdf', sdf(201)), '201 atoms'],
    [file('molecule.mdl', sdf(201)), '201 atoms'],
    [file('molecule', pdb(3)), 'extension of a coordinate file'],
    [file('molecule.xyz', pdb(3)), 'extension of a coordinate file'],
  ];
  for (const [change, words] of refused) {
    const { status, body } = await submitMolecule(services, change);
    expect([status, body.error]).toEqual([400, expect.stringContaining(words)]);
  }
});

describe('2.2 submission acknowledgement', () => {
  test('contains the status path, the id and a message', async () => {
    const services = await start();
    const { body } = await submitMolecule(services, { email: 'someone@example.org' });
    expect(Object.keys(body)).toEqual(['Location', 'hash_id', 'message']);
    expect(body.hash_id).toMatch(/^[A-Za-z0-9]+$/);
    expect(body.Location).toBe(`/api/queue/${body.hash_id}/`);
    expect(body.message).toMatch(/processed.*queue/);
  });
});

describe('8 limits, rates not shown: none, unless configured', () => {
  test('the limit of the prediction service does not apply', async () => {
    const services = await start({ limit: 1 });
    expect((await submitMolecule(services)).status).toBe(200);
    const second = await submitMolecule(services);
    expect(second.status).toBe(200);
    expect(second.headers.get('X-RateLimit-Remaining')).toBeNull();
  });

  test('its own window, with the same answer', async () => {
    const services = await start({ moleculeLimit: 1 });
    const first = await submitMolecule(services);
    expect(first.headers.get('X-RateLimit-Remaining')).toBe('0');
    const { status, body, headers } = await submitMolecule(services);
    expect(status).toBe(429);
    expect(body).toMatchObject({ limit: 1, remaining: 0, reset_after: expect.any(Number) });
    expect(headers.get('Retry-After')).toBe(String(body.reset_after));
    expect((await submitMolecule(services, { token: 'another10c' })).status).toBe(200);
  });
});
