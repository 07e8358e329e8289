/** Finished shift files: the recorded results of ShiftCrypt for their own files, repeated. */
import { readFileSync } from 'node:fs';
import { loadIndex, readRecording } from '../../src/local-services/engines/recordings.ts';
import type { ModelClass } from '../../src/domain/item.ts';
import { finishedItem, historyOf, type Maker } from './finished.ts';

const INPUTS = new URL('../../batches/demo/files/', import.meta.url);

interface Recorded {
  readonly what: string;
  readonly text: string;
  readonly modelClass: ModelClass;
  readonly originalNumbering: boolean;
  readonly result: string;
  readonly csv: Uint8Array;
}

function recordings(): readonly Recorded[] {
  return loadIndex().recordings.flatMap(({ kind, what, options, files, failure }) => {
    if (kind !== 'shifts' || failure !== undefined || !what.startsWith('bmr')) return [];
    const [model = '', numbering] = options.split('/');
    return [
      {
        what,
        text: readFileSync(new URL(what, INPUTS), 'utf8'),
        modelClass: model.slice(-1) as ModelClass,
        originalNumbering: numbering === 'original',
        result: readRecording(files.result ?? '').toString(),
        csv: readRecording(files.csv ?? ''),
      },
    ];
  });
}

export function shiftsMaker(): Maker {
  const known = recordings();
  return (n) => {
    const recorded = known[n % known.length];
    if (!recorded) throw new Error('There are no recorded shifts.');
    const { what, modelClass, originalNumbering } = recorded;
    return {
      item: finishedItem('shifts', n, {
        input: { name: `input.${what.endsWith('.nef') ? 'nef' : 'str'}`, text: recorded.text },
        options: { kind: 'shifts', modelClass, originalNumbering },
        title: `${what}, model ${modelClass}`,
        row: {
          file: `shifts/${what}`,
          model_class: modelClass,
          original_numbering: String(originalNumbering),
        },
      }),
      runSeconds: 5 + (n % 10),
      files: (job) => [
        ['result.json', recorded.result.replaceAll(`"${what}"`, `"shifts_${n}_${what}"`)],
        ['history.json', historyOf(job)],
        ['result.csv', recorded.csv],
      ],
    };
  };
}
