/** Small manifests for the tests of the command, from the batches of the project: every row has a recorded output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Desk } from './command.ts';

const SCREENING = readFileSync(join(ROOT, 'batches', 'screening', 'manifest.csv'), 'utf8');

/** `count` fragments from number `from` on. A job takes half a second, and two run at once. */
export function fragments(at: Desk, name: string, count: number, from = 0): string[] {
  const [header, ...rows] = SCREENING.trimEnd().split(/\r?\n/);
  const chosen = rows.slice(from, from + count);
  at.write(`${name}.csv`, [header, ...chosen, ''].join('\n'));
  const ids = chosen.map((row) => row.slice(0, row.indexOf(',')));
  at.rows.set(name, ids);
  return ids;
}

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';

/** `count` different short sequences, for the synthetic engine. */
export function peptides(at: Desk, name: string, count: number): string[] {
  const ids = Array.from({ length: count }, (_, n) => `peptide-${n}`);
  const rows = ids.map(
    (id, n) => `${id},MKTAYIAK${RESIDUES[n % 20] ?? ''}${RESIDUES[Math.floor(n / 20)] ?? ''}`,
  );
  at.write(`${name}.csv`, ['id,sequence', ...rows, ''].join('\n'));
  at.rows.set(name, ids);
  return ids;
}
