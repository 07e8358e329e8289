/** Finished sequences: proteins of 50 to 400 residues, cut from recorded results of all five predictors. */
import { PREDICTORS } from '../../src/domain/item.ts';
import {
  CSV_HEADER,
  markedMetadata,
  recordedPayloads,
  residuesOf,
  Ring,
  statistics,
  statisticsHeader,
} from './chain.ts';
import { between, finishedItem, historyOf, type Maker } from './finished.ts';

const LINE = 60;
const STATISTICS = [
  'backbone',
  'sidechain',
  'ppII',
  'coil',
  'sheet',
  'helix',
  'earlyFolding',
  'agmata',
  'disoMine',
];

export function sequenceMaker(): Maker {
  const recorded = recordedPayloads('sequence', PREDICTORS.join('+'));
  const ring = new Ring(recorded.flatMap(({ payload }) => residuesOf(payload)));
  const [first] = recorded;
  if (!first) throw new Error('There are no recorded sequences.');
  const metadata = markedMetadata(first.payload);
  return (n) => {
    const length = between(50, 400, 'length', n);
    const from = between(0, ring.length - 1, 'from', n);
    const name = `P${String(10_000 + n)}_cut`;
    const letters = ring.lettersOf(from, length).join('');
    const text = `>${name}\n${letters.replace(new RegExp(`.{1,${LINE}}`, 'g'), '$&\n')}`;
    const score = between(0, 999, 'score', n) / 1_000;
    return {
      item: finishedItem('sequence', n, {
        input: { name: 'input.fasta', text },
        options: { kind: 'sequence', predictors: PREDICTORS },
        title: `Cut ${n} of ${length} residues`,
        row: { file: `sequences/${name}.fasta`, predictors: PREDICTORS.join(',') },
      }),
      runSeconds: 4 + length / 50,
      engine: 'synthetic',
      files: (job) => {
        const seq = JSON.stringify([...letters]);
        const members = `"seq":${seq},${ring.jsonOf(from, length)},"protein_score":${score}`;
        const cells = STATISTICS.flatMap((key) => statistics(ring.valuesOf(key, from, length)));
        return [
          ['result.json', `{"proteins":{"${name}":{${members}}},"metadata":${metadata}}`],
          ['history.json', historyOf(job)],
          ['result.csv', CSV_HEADER + ring.csvOf(name, from, length)],
          [
            'metadata.csv',
            `${statisticsHeader(STATISTICS, false)}${[name, length, score, ...cells].join(',')}\n`,
          ],
        ];
      },
    };
  };
}
