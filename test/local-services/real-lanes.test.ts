/**
 * The installed engines as a lane beside the service that answers with recordings of the same versions: both give the same
 * results. Skipped if the engines are not installed (`npm run engines`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import {
  findEnginesFolder,
  findInstalledEngine,
  REAL_ENGINES,
} from '../../packages/local-services/src/engines/install.ts';
import { type Desk, desk, ROOT } from '../cli/command.ts';

const missing = REAL_ENGINES.filter((engine) => findInstalledEngine(engine) === null);
if (missing.length > 0) console.warn(`skipped: ${missing.join(' and ')} not installed here`);

const RECORDINGS = join(ROOT, 'packages', 'local-services', 'recordings');
const MOLECULES = 20;

interface Recording {
  readonly kind: string;
  readonly options: string;
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Proteins of databases, whose recordings have all predictors. */
function listProteins(): readonly string[] {
  const index = readFileSync(join(RECORDINGS, 'index.json'), 'utf8');
  const { recordings } = JSON.parse(index) as { readonly recordings: readonly Recording[] };
  const real = recordings.filter(
    ({ kind, options, what }) =>
      kind === 'sequence' && options.endsWith('+psper') && /^[A-Z0-9]+_/.test(what),
  );
  return real.map(({ what, files }) => {
    const bytes = gunzipSync(readFileSync(join(RECORDINGS, files['result'] ?? '')));
    const { proteins } = JSON.parse(bytes.toString()) as {
      readonly proteins: Readonly<Record<string, { readonly seq: readonly string[] | string }>>;
    };
    const [protein] = Object.values(proteins);
    return `${what.replace('.fasta', '')},${[protein?.seq].flat().join('')},dynamine;disomine;efoldmine;agmata;psper`;
  });
}

function writeTables(at: Desk): number {
  const proteins = listProteins();
  at.write('proteins.csv', ['id,sequence,predictors', ...proteins, ''].join('\n'));
  const screening = readFileSync(join(ROOT, 'batches', 'screening', 'manifest.csv'), 'utf8');
  const rows = screening.trimEnd().split(/\r?\n/);
  // Every third, so that ions and drugs are among them.
  const chosen = rows
    .slice(1)
    .filter((_, i) => i % 3 === 0)
    .slice(0, MOLECULES);
  at.write('molecules.csv', [rows[0], ...chosen, ''].join('\n'));
  return proteins.length;
}

test.skipIf(missing.length > 0)(
  'real proteins and molecules: each value is within tolerance of its recording, and tables name lane and engine',
  { timeout: 1_800_000 },
  async () => {
    const at = desk();
    const env = { HUNDREDFOLD_ENGINES: findEnginesFolder() };
    const proteins = writeTables(at);
    const both = ['--services', 'local', '--also', 'engines'];
    const compare = async (table: string, rows: number) => {
      const words = ['run', table, ...both, '--compare-lanes', String(rows), '--json'];
      const { stdout } = await at.runs(0, words, { env });
      console.log(`${table}: ${stdout.replaceAll(/\s+/g, ' ')}`);
      expect(JSON.parse(stdout)).toMatchObject({
        lanes: [{ lane: 'engines', agrees: true, pairs: rows, alone: [] }],
      });
    };
    await compare('proteins.csv', proteins);
    await compare('molecules.csv', MOLECULES);

    await at.runs(0, ['run', 'proteins.csv', ...both, '--no-cache'], { env });
    const read = (name: string): Record<string, string>[] =>
      parse(readFileSync(join(at.folder, 'results', 'proteins', name)), { columns: true });
    const items = read('items.csv');
    expect(new Set(items.map((one) => one['computed_at']))).toEqual(new Set(['local', 'engines']));
    expect(new Set(items.map((one) => one['engine_version']))).toEqual(new Set(['3.0.9']));
    const engines = new Set(read('tables/residues.csv').map((one) => one['engine']));
    expect(engines).toEqual(new Set(['real, b2bTools 3.0.9', 'recorded, b2bTools 3.0.9']));
  },
);
