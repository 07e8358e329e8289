/** The contract of the molecule service: submissions. Named after its sections. */
import { describe, expect, test } from 'vitest';
import { MOLECULE, postJson, start, submitMolecule } from './running-services.ts';

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

describe('2.1 submission request', () => {
  test('rule 1: a SMILES, with inputFile null', async () => {
    const services = await start();
    expect((await submitMolecule(services)).status).toBe(200);
  });

  test('rule 2: a file, with smiles null', async () => {
    const services = await start();
    const file = { smiles: null, inputFile: pdb(3), file_name: 'three.pdb' };
    expect((await submitMolecule(services, file)).status).toBe(200);
  });

  test.each([
    ['neither', { smiles: null }],
    ['both', { inputFile: pdb(3), file_name: 'three.pdb' }],
  ])('%s of the two is refused', async (_, change) => {
    const services = await start();
    const { status, body } = await submitMolecule(services, change);
    expect(status).toBe(400);
    expect(body.error).toContain('exactly one of smiles and inputFile');
  });

  test.each(Object.keys(MOLECULE))('all eight keys are required: not without %s', async (key) => {
    const services = await start();
    const body = Object.fromEntries(Object.entries(MOLECULE).filter(([name]) => name !== key));
    const answer = await postJson(`${services.moleculesUrl}/api`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(`lacks ${key}`);
  });

  test.each(['bcc', 'gas'])('charge_method %s', async (charge_method) => {
    const services = await start();
    expect((await submitMolecule(services, { charge_method })).status).toBe(200);
  });

  test('rule 4: the spelling bbc is refused with a hint', async () => {
    const services = await start();
    const { status, body } = await submitMolecule(services, { charge_method: 'bbc' });
    expect(status).toBe(400);
    expect(body.error).toBe('charge_method must be one of bcc, gas (bbc is a misspelling of bcc).');
  });

  test.each(['gaff', 'gaff2', 'amber'])('atom_type %s', async (atom_type) => {
    const services = await start();
    expect((await submitMolecule(services, { atom_type })).status).toBe(200);
  });

  test.each([null, '0', '-1', '+2'])('net_charge %s', async (net_charge) => {
    const services = await start();
    expect((await submitMolecule(services, { net_charge })).status).toBe(200);
  });

  test.each([
    ['another atom_type', { atom_type: 'opls' }, 'atom_type must be one of'],
    ['a net_charge with a fraction', { net_charge: '1.0' }, 'net_charge must be'],
    ['a net_charge that is a number', { net_charge: 1 }, 'net_charge must be a string'],
    ['an empty SMILES', { smiles: ' ' }, 'smiles must not be empty'],
    ['no title', { file_name: '' }, 'file_name must not be empty'],
    ['an email that is not a string', { email: 7 }, 'email must be a string'],
    ['a token of 9 characters', { token: 'ninechars' }, 'token must have 10 characters'],
    ['a token of 11 characters', { token: 'elevenchars' }, 'token must have 10 characters'],
    ['no token', { token: null }, 'token must be a string'],
  ])('7 refuses %s, with the reason', async (_, change, words) => {
    const services = await start();
    const { status, body } = await submitMolecule(services, change);
    expect(status).toBe(400);
    expect(body.error).toContain(words);
  });
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

describe('4.2 and 8 coordinate files', () => {
  test.each([
    ['pdb', pdb],
    ['mol2', mol2],
    ['sdf', sdf],
    ['mdl', sdf],
  ])('%s: 200 atoms are accepted, 201 refused', async (ending, make) => {
    const services = await start();
    const file = (atoms: number) => ({
      smiles: null,
      file_name: `molecule.${ending}`,
      inputFile: make(atoms),
    });
    expect((await submitMolecule(services, file(200))).status).toBe(200);
    const { status, body } = await submitMolecule(services, file(201));
    expect(status).toBe(400);
    expect(body.error).toContain('201 atoms');
  });

  test('the limit is for files: a long SMILES is accepted', async () => {
    const services = await start();
    expect((await submitMolecule(services, { smiles: 'C'.repeat(250) })).status).toBe(200);
  });

  test('several models are one molecule', async () => {
    const services = await start();
    const model = (n: number): string =>
      `MODEL ${String(n)}\n${pdb(150).replace('END\n', 'ENDMDL\n')}`;
    const file = { smiles: null, file_name: 'two.pdb', inputFile: model(1) + model(2) };
    expect((await submitMolecule(services, file)).status).toBe(200);
  });

  test('file_name has the extension of an accepted format', async () => {
    const services = await start();
    for (const file_name of ['molecule', 'molecule.xyz']) {
      const { status, body } = await submitMolecule(services, {
        smiles: null,
        inputFile: pdb(3),
        file_name,
      });
      expect(status).toBe(400);
      expect(body.error).toContain('extension of a coordinate file');
    }
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
