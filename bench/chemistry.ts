/** What reading and checking a library costs on top of RDKit alone, in as many threads on the same cores. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { MoleculeOptions } from '../src/domain/item.ts';
import { readSmilesInput } from '../src/inputs/molecule.ts';
import { openChemist } from '../src/inputs/rdkit.ts';
import { drugLikeSmiles } from './drug-like.ts';

const OPTIONS: MoleculeOptions = {
  ...{ kind: 'molecule', chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' },
};
/** As many rows as the manifest lets wait at the same time. */
const UNDER_WAY = 1_024;

export interface Took {
  readonly wallMs: number;
  /** Of all threads: what a machine with other work to do shows best. */
  readonly cpuMs: number;
}

export interface Chemistry {
  readonly molecules: number;
  readonly rdkit: Took;
  readonly checks: Took;
  /** At its highest, MB. */
  readonly rss: number;
}

/** In turns, so that a machine that grows slower does so for both. */
export async function measureChemistry(count: number, turns = 4): Promise<Chemistry> {
  const smiles = drugLikeSmiles(count);
  const peak = { rss: 0 };
  const took: { rdkit: Took; checks: Took }[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const part = smiles.filter((_, n) => n % turns === turn);
    const checked = await checks(part, peak);
    took.push({ checks: checked, rdkit: await rdkitAlone(part) });
  }
  const sum = (of: 'rdkit' | 'checks'): Took => ({
    wallMs: took.reduce((total, one) => total + one[of].wallMs, 0),
    cpuMs: took.reduce((total, one) => total + one[of].cpuMs, 0),
  });
  return { molecules: count, rdkit: sum('rdkit'), checks: sum('checks'), rss: peak.rss };
}

async function timed(work: () => Promise<void>): Promise<Took> {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}

async function checks(smiles: readonly string[], peak: { rss: number }): Promise<Took> {
  const chemist = openChemist();
  // RDKit's start is no part of either figure.
  await Promise.all(smiles.slice(0, UNDER_WAY).map((text) => chemist.readSmiles(text)));
  const timer = setInterval(() => {
    peak.rss = Math.max(peak.rss, process.memoryUsage.rss() / 1e6);
  }, 100);
  const texts = smiles.values();
  const refused: string[] = [];
  const row = async (): Promise<void> => {
    for (const text of texts) {
      const { findings, canonical } = await readSmilesInput(text, OPTIONS, chemist);
      if (findings.length > 0 || canonical === '') refused.push(text);
    }
  };
  const took = await timed(async () => {
    await Promise.all(Array.from({ length: UNDER_WAY }, row));
  });
  clearInterval(timer);
  await chemist.close();
  if (refused.length > 0) throw new Error(`refused: ${refused.slice(0, 3).join(' ')}`);
  return took;
}

/** `get_mol` and `delete`, nothing else, the texts divided among the threads in advance. */
async function rdkitAlone(smiles: readonly string[]): Promise<Took> {
  const count = Math.min(availableParallelism(), 4);
  const threads = Array.from({ length: count }, (_, thread) => {
    const workerData = smiles.filter((_text, n) => n % count === thread);
    return new Worker(RDKIT_ALONE, { eval: true, workerData });
  });
  const said = (): Promise<unknown> =>
    Promise.all(threads.map((thread) => once(thread, 'message')));
  await said();
  const took = await timed(async () => {
    for (const thread of threads) thread.postMessage('go');
    await said();
  });
  await Promise.all(threads.map((thread) => thread.terminate()));
  return took;
}

const RDKIT = JSON.stringify(fileURLToPath(import.meta.resolve('@rdkit/rdkit')));
const RDKIT_ALONE = `
const { parentPort, workerData } = require('node:worker_threads');
require(${RDKIT})().then((RDKit) => {
  const read = (smiles) => RDKit.get_mol(smiles).delete();
  workerData.slice(0, 512).forEach(read);
  parentPort.on('message', () => {
    workerData.forEach(read);
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
});`;

export async function chemistry(count = 100_000): Promise<string> {
  const { molecules, rdkit, checks: checked, rss } = await measureChemistry(count);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return (
    `${String(molecules)} SMILES read and checked in ${seconds(checked.wallMs)}, RDKit alone ${seconds(rdkit.wallMs)}: ` +
    `${(checked.wallMs / rdkit.wallMs).toFixed(2)} times (${(checked.cpuMs / rdkit.cpuMs).toFixed(2)} times its CPU); ` +
    `${rss.toFixed(0)} MB at most`
  );
}
