/** Finished sequences, alignments and shift files: the recorded results of the real engines for their own inputs, repeated. */
import { readFileSync } from 'node:fs';
import {
  loadIndex,
  readRecording,
  type Recording,
} from '../../packages/local-services/src/engines/recorded.ts';
import type { Options } from '../../src/domain/campaign.ts';
import { type ModelClass, PREDICTORS } from '../../src/kinds/vocabulary.ts';
import { type FinishedFile, finishedItem, historyOf, type Maker } from './finished.ts';

export type PredictionKind = Exclude<Recording['kind'], 'molecule'>;

const SHIFT_FILES = new URL('../../batches/demo/files/', import.meta.url);
/** As the store names the outputs of a job. */
const FILE_NAMES = [
  ['result', 'result.json'],
  ['csv', 'result.csv'],
  ['metadata', 'metadata.csv'],
  ['distributions', 'distributions.json'],
] as const;

interface Payload {
  readonly proteins: Readonly<Record<string, { readonly seq?: readonly string[] }>>;
  readonly sequences?: Readonly<Record<string, readonly string[]>>;
}

/** With all that the item needs: inputs for edge cases, and those without a file in the checkout, stay out. */
function isUsable({ kind, options, failure, files, what }: Recording): boolean {
  if (failure !== undefined || files.result?.includes('/edge/') !== false) return false;
  if (kind === 'sequence') return options === PREDICTORS.join('+');
  return kind === 'alignment' || what.startsWith('bmr');
}

/** The FASTA text that a result was computed for. */
function fastaOf(result: string): string {
  const { proteins, sequences = {} } = JSON.parse(result) as Payload;
  return Object.entries(proteins)
    .map(([id, { seq }]) => `>${id}\n${(sequences[id] ?? seq ?? []).join('')}\n`)
    .join('');
}

function optionsOf({ kind, options }: Recording): Options {
  if (kind === 'sequence') return { kind, predictors: PREDICTORS };
  if (kind === 'alignment') return { kind };
  const [model = '', numbering] = options.split('/');
  const modelClass = model.slice(-1) as ModelClass;
  return { kind: 'shifts', modelClass, originalNumbering: numbering === 'original' };
}

export function predictionMaker(kind: PredictionKind): Maker {
  const known = loadIndex()
    .recordings.filter((recording) => recording.kind === kind && isUsable(recording))
    .map((recording) => {
      const outputs = FILE_NAMES.flatMap(([output, name]): FinishedFile[] => {
        const file = recording.files[output];
        return file === undefined ? [] : [[name, readRecording(file)]];
      });
      const { what } = recording;
      const text =
        kind === 'shifts'
          ? readFileSync(new URL(what, SHIFT_FILES), 'utf8')
          : fastaOf(Buffer.from(outputs[0]?.[1] ?? '').toString());
      return { what, outputs, text, options: optionsOf(recording) };
    });
  return (n) => {
    const recorded = known[n % known.length];
    if (!recorded) throw new Error(`There are no recordings of ${kind}.`);
    const { what, outputs, text, options } = recorded;
    const row = { file: `${kind}/${what}` };
    return {
      item: finishedItem(kind, n, {
        input: { name: `input${what.slice(what.lastIndexOf('.'))}`, text },
        options,
        title: `${what} (${n})`,
        row: 'modelClass' in options ? { ...row, model_class: String(options['modelClass']) } : row,
      }),
      runSeconds: 4 + (n % 20),
      files: (job) => [...outputs, ['history.json', historyOf(job)]],
    };
  };
}
