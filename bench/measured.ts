/** `node measured.ts WHAT FILE`: performs one step with a table, alone in a process, and prints its cost as JSON. */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { surveyManifests } from '../src/plan/survey.ts';
import { rdkitAlone } from './rdkit-alone.ts';

const [what, file = ''] = process.argv.slice(2);

interface Done {
  readonly rows: number;
  readonly seconds: number;
}

async function plan(): Promise<Done> {
  const startedAt = performance.now();
  const { rows, errors } = await surveyManifests([file], {
    allowOutside: false,
    tree: null,
    cache: null,
    addresses: {},
    onProblem: () => undefined,
  });
  if (errors > 0) throw new Error(`${errors} errors in ${file}`);
  return { rows, seconds: (performance.now() - startedAt) / 1_000 };
}

async function* records(): AsyncGenerator<Record<string, string>> {
  yield* createReadStream(file).pipe(parse({ columns: true }));
}

async function csvParse(): Promise<Done> {
  const startedAt = performance.now();
  let rows = 0;
  for await (const _ of createReadStream(file).pipe(parse({ columns: true }))) rows += 1;
  return { rows, seconds: (performance.now() - startedAt) / 1_000 };
}

async function rdkit(): Promise<Done> {
  const smiles: string[] = [];
  for await (const { smiles: text = '' } of records()) smiles.push(text);
  return { rows: smiles.length, seconds: await rdkitAlone(smiles) };
}

const deeds = { plan, rdkit, 'csv-parse': csvParse };
const done = await deeds[what as keyof typeof deeds]();
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1_024);
process.stdout.write(`${JSON.stringify({ ...done, peakMegabytes })}\n`);
