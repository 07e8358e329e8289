/**
 * A hundred short proteins through the prediction service with the real b2bTools, one job each, against one run of the
 * engine's command over all of them, and against separate runs for some: `npm run bench:engines -- proteins`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { installedEngine } from '../src/local-services/engines/real/installed.ts';
import { seededRandom } from '../src/local-services/seeded-random.ts';
import { startLocalServices } from '../src/local-services/server.ts';

const PROTEINS = 100;
/** Every tenth is also run alone. */
const ALONE = 10;
const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';
const TOKEN = 'bench';

type Protein = Readonly<Record<string, unknown>>;
type Proteins = Readonly<Record<string, Protein>>;

export const proteinCases: Readonly<Record<string, () => Promise<string>>> = {
  proteins: () => compare(['dynamine', 'disomine', 'efoldmine', 'agmata']),
  'proteins-psper': () => compare(['dynamine', 'disomine', 'efoldmine', 'agmata', 'psper']),
  'proteins-dynamine': () => compare(['dynamine']),
};

/** 30 to 110 residues; the engine's time does not depend on which ones. */
function shortProteins(): string[] {
  const random = seededRandom(7);
  return Array.from({ length: PROTEINS }, (_, n) => {
    const length = 30 + ((n * 17) % 81);
    const residue = (): string => RESIDUES[Math.floor(random() * RESIDUES.length)] ?? 'A';
    return `>p${n}\n${Array.from({ length }, residue).join('')}\n`;
  });
}

async function compare(predictors: readonly string[]): Promise<string> {
  const records = shortProteins();
  const folder = mkdtempSync(join(tmpdir(), 'bench-proteins-'));
  try {
    const single = runCommand(records.join(''), predictors, folder);
    const service = await throughService(records, predictors);
    const chosen = records.filter((_, n) => n % ALONE === 0);
    const alone = chosen.map((record) => runCommand(record, predictors, folder).proteins);
    const identical = alone.filter((proteins) =>
      Object.entries(proteins).every(([id, protein]) =>
        isDeepStrictEqual(untimed(protein), untimed(service.proteins[id] ?? {})),
      ),
    );
    const ratio = (seconds: number): string => (seconds / single.seconds).toFixed(2);
    return [
      `${PROTEINS} proteins, ${predictors.join(' ')}`,
      `one run over all ${single.seconds.toFixed(1)} s`,
      `as jobs of a service just started ${service.cold.toFixed(1)} s (${ratio(service.cold)} x)`,
      `of one that is warm ${service.warm.toFixed(1)} s (${ratio(service.warm)} x)`,
      `CPU ${(service.cpu / single.cpu).toFixed(2)} x a job of the run over all`,
      `${identical.length} of ${alone.length} results identical to runs of their own`,
      `furthest from the run over all ${furthest(single.proteins, service.proteins).toExponential(1)}`,
    ].join(', ');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The engine's command as a user runs it, with one thread. */
function runCommand(
  fasta: string,
  predictors: readonly string[],
  folder: string,
): { readonly proteins: Proteins; readonly seconds: number; readonly cpu: number } {
  const installed = installedEngine('b2btools');
  if (installed === null) throw new Error('b2bTools is not installed: npm run engines');
  writeFileSync(join(folder, 'in.fasta'), fasta);
  const files = ['-i', 'in.fasta', '-o', 'out.json', '-t', 'out.csv', '-m', 'out.metadata.csv'];
  const [startedAt, before] = [performance.now(), childrenCpu()];
  execFileSync(
    join(installed.folder, 'bin', 'b2bTools'),
    [...files, ...predictors.map((name) => `--${name}`)],
    {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', OMP_NUM_THREADS: '1', PYTHONWARNINGS: 'ignore' },
      stdio: 'ignore',
    },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { proteins } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
    proteins: Proteins;
  };
  return { proteins, seconds, cpu: childrenCpu() - before };
}

/** CPU seconds of the child processes that have ended, including their own children (proc(5), fields 16 and 17). */
function childrenCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Twice: before and after the engine is loaded. CPU is that of both, per hundred jobs, with the loading. */
async function throughService(
  records: readonly string[],
  predictors: readonly string[],
): Promise<{ proteins: Proteins; cold: number; warm: number; cpu: number }> {
  const before = childrenCpu();
  const services = await startLocalServices({
    engine: 'installed',
    limit: 0,
    addressLimit: 0,
    concurrency: availableParallelism(),
  });
  const base = `${services.url}/online_predictors/api`;
  const once = async (): Promise<{ seconds: number; proteins: Proteins }> => {
    const startedAt = performance.now();
    const ids: string[] = [];
    for (const sequence of records) ids.push(await submit(base, sequence, predictors));
    const results: Proteins[] = [];
    for (const id of ids) results.push(await resultOf(base, id));
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, proteins: Object.assign({}, ...results) as Proteins };
  };
  const cold = await once();
  const warm = await once();
  await services.close();
  const cpu = (childrenCpu() - before) / 2;
  return { proteins: warm.proteins, cold: cold.seconds, warm: warm.seconds, cpu };
}

async function submit(
  base: string,
  sequence: string,
  predictors: readonly string[],
): Promise<string> {
  const answer = await fetch(`${base}/submit/single-sequence/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: TOKEN, predictor_type: predictors.join(','), sequence }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { request_id: string }).request_id;
}

async function resultOf(base: string, id: string): Promise<Proteins> {
  for (;;) {
    const answer = await fetch(`${base}/results/${id}/`);
    const body = await answer.text();
    if (answer.status === 200) return (JSON.parse(body) as { proteins: Proteins }).proteins;
    if (answer.status !== 202) throw new Error(body);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function untimed(protein: Protein): Protein {
  return Object.fromEntries(Object.entries(protein).filter(([key]) => !key.endsWith('_time')));
}

function furthest(one: Proteins, other: Proteins): number {
  const values = (proteins: Proteins, id: string, key: string): unknown[] => {
    const track = proteins[id]?.[key];
    return Array.isArray(track) ? track : [];
  };
  const distances = Object.entries(one).flatMap(([id, protein]) =>
    Object.keys(protein).flatMap((key) =>
      values(one, id, key).map((value, n) => {
        const now = values(other, id, key)[n];
        if (typeof value === 'number') return Math.abs(value - Number(now));
        return value === now ? 0 : Number.POSITIVE_INFINITY;
      }),
    ),
  );
  return distances.reduce((most, distance) => Math.max(most, distance), 0);
}
