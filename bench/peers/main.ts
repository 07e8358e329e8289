/**
 * `node bench/peers/main.ts [-- --only NAME,… --write]`: the same items, limit and service with hundredfold
 * and with its alternatives. `--write` puts the figures of a whole run into docs/peers.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASE, emptyLog, run } from './course.ts';
import {} from './figures.ts';
import { type Installed, type Peer, REGISTRY } from './registry.ts';
import { tables, withTables, type Measured, type Row } from './table.ts';

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const LOGS = path('.tools/peers/logs');

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

function chosen(): readonly Peer[] {
  const names = values.only?.split(',');
  const unknown = names?.filter((name) => !REGISTRY.some((peer) => peer.name === name)) ?? [];
  const known = REGISTRY.map(({ name }) => name).join(', ');
  if (unknown.length > 0) throw new Error(`no peer ${unknown.join(', ')}; there are ${known}`);
  return REGISTRY.filter(({ name }) => names?.includes(name) ?? true);
}

async function installed(peer: Peer): Promise<Installed | { missing: string }> {
  try {
    return await peer.install();
  } catch (error) {
    console.error(error);
    // The message may contain folders of this machine.
    return { missing: 'it could not be installed' };
  }
}

async function measure(peer: Peer): Promise<Row> {
  const { name, title, resumes } = peer;
  const row: Row = { name, title, resumes };
  const program = await installed(peer);
  if ('missing' in program) return { ...row, missing: program.missing };
  const course = async (kind: 'quiet' | 'killed') => {
    const log = await emptyLog(LOGS, `${name}-${kind}`);
    try {
      const figures = await run(program, { kill: kind === 'killed', log });
      console.error(`${name}, ${kind}: ${JSON.stringify(figures)}`);
      return figures;
    } catch (error) {
      console.error(`${name}, ${kind}: ${(error as Error).message}; see ${log}`);
      return undefined;
    }
  };
  const quiet = await course('quiet');
  const killed = await course('killed');
  return {
    ...row,
    versions: program.versions,
    ...(quiet ? { quiet } : {}),
    ...(killed ? { killed } : {}),
  };
}

if (values.write && values.only !== undefined) throw new Error('--write needs all peers');
// What the programs have started ends with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const [machine] = cpus();
const about = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${machine?.model.trim() ?? ''}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, load average before the run ${loadavg()[0]?.toFixed(1) ?? ''}`;
const rows: Row[] = [];
for (const peer of chosen()) rows.push(await measure(peer));
const measured: Measured = { about, case: CASE, rows };
console.log(`${about}\n\n${tables(measured)}`);
if (values.write) {
  const page = path('docs/peers.md');
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), measured));
}
