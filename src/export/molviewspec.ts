/** `molviewspec`: a scene of the user's structure, coloured by a predictor (MolViewSpec 1, tree schema). */
import { type Added, type Exporter, type ExportFormat, type ExportItem } from './format.ts';
import { colourStructure, type ColouredResidue } from './structure/coloured-structure.ts';

export const molviewspec: ExportFormat = {
  name: 'molviewspec',
  kinds: ['sequence', 'alignment'],
  content: 'a scene of each item: your structure file (column structure) coloured by a predictor',
  loadedBy: 'Mol*',
  files: [],
  takes: ['reading'],
  structure: 'needed',
  start: ({ predictor }): Exporter => ({
    add: (item) => addScene(item, predictor),
    end: () => [],
  }),
};

/** From low to high; distinguishable without red and green (viridis, six steps). */
const COLOURS = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'];
const WITHOUT_VALUE = '#cccccc';

function addScene(item: ExportItem, track: string): Added {
  const structure = colourStructure(item, track);
  if ('code' in structure) return { leftOut: structure };
  const file = `${item.id}.pdb`;
  const scene = sceneOf(item, structure.residues, track);
  return {
    pieces: [
      { file, text: item.structure?.text ?? '' },
      { file: `${item.id}.mvsj`, text: `${JSON.stringify(scene, null, 1)}\n` },
    ],
    notes: structure.notes,
  };
}

function sceneOf(item: ExportItem, residues: readonly ColouredResidue[], track: string) {
  const { id, record } = item;
  const runs = runsOf(residues);
  const colours = runs.map(({ colour, ...selector }) => node('color', { color: colour, selector }));
  const cartoon = node('representation', { type: 'cartoon' }, [
    node('color', { color: WITHOUT_VALUE }),
    ...colours,
  ]);
  const others = node('component', { selector: 'ligand' }, [
    node('representation', { type: 'ball_and_stick' }),
  ]);
  const structure = node('structure', { type: 'model' }, [
    node('component', { selector: 'polymer' }, [cartoon]),
    others,
  ]);
  const parse = node('parse', { format: 'pdb' }, [structure]);
  const download = node('download', { url: `./${id}.pdb` }, [parse]);
  return {
    kind: 'single',
    root: { kind: 'root', children: [download] },
    metadata: {
      version: '1',
      // The time of the result, so that the same export gives the same bytes.
      timestamp: record.finishedAt ?? '1970-01-01T00:00:00.000Z',
      title: `${id}, ${track}`,
      description: `${item.structure?.name ?? ''} coloured by ${track}, from low (${COLOURS[0] ?? ''}) to high (${COLOURS.at(-1) ?? ''})`,
      description_format: 'plaintext',
    },
  };
}

interface Node {
  readonly kind: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
}

function node(kind: string, params: Node['params'], children?: readonly Node[]): Node {
  return { kind, params, ...(children && { children }) };
}

interface Run {
  readonly auth_asym_id: string;
  readonly beg_auth_seq_id: number;
  readonly end_auth_seq_id: number;
  readonly colour: string;
}

/** Consecutive residues of one colour. */
function runsOf(residues: readonly ColouredResidue[]): readonly Run[] {
  const values = residues.flatMap(({ value }) => (value === null ? [] : [value]));
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const colourOf = (value: number): string => {
    const part = (value - low) / (high - low || 1);
    return COLOURS[Math.min(COLOURS.length - 1, Math.floor(part * COLOURS.length))] ?? '';
  };
  const runs: Run[] = [];
  for (const { chain, number, value } of residues) {
    if (value === null) continue;
    const colour = colourOf(value);
    const last = runs.at(-1);
    const goesOn =
      last?.auth_asym_id === chain && last.colour === colour && number - last.end_auth_seq_id <= 1;
    if (goesOn) runs.pop();
    const beg_auth_seq_id = goesOn ? last.beg_auth_seq_id : number;
    runs.push({ auth_asym_id: chain, beg_auth_seq_id, end_auth_seq_id: number, colour });
  }
  return runs;
}
