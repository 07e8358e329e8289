/** Small manifests for the tests of the command, from the batches of the project: every row has a recorded output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Desk } from './command.ts';

const SCREENING = readFileSync(join(ROOT, 'batches', 'screening', 'manifest.csv'), 'utf8');

/** `count` fragments from the `from`th on. A job takes half a second, and two run at once. */
export function fragments(at: Desk, name: string, count: number, from = 0): string[] {
  const [header, ...rows] = SCREENING.trimEnd().split(/\r?\n/);
  const chosen = rows.slice(from, from + count);
  at.write(`${name}.csv`, [header, ...chosen, ''].join('\n'));
  return chosen.map((row) => row.slice(0, row.indexOf(',')));
}
