/** `nightingale`: data for the web components of that name, as `LineData` and `Feature` of their packages. */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { OF_PROTEINS, withProteins, type NamedProtein, type NamedProteins } from './proteins.ts';
import { regionsOf, ungapped, withoutGaps } from './regions.ts';

export const nightingale: ExportFormat = {
  name: 'nightingale',
  ...OF_PROTEINS,
  content: 'JSON of each item: sequence, line graphs and regions',
  loadedBy: 'Nightingale web components',
  structure: 'none',
  start: (): Exporter => ({ add: withProteins(addProteins), end: () => [] }),
};

/** The Okabe-Ito palette, distinguishable with any colour vision. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

function addProteins(item: ExportItem, proteins: NamedProteins): Added {
  const document = { proteins: proteins.map(proteinData) };
  return { pieces: [{ file: `${item.id}.json`, text: `${JSON.stringify(document)}\n` }] };
}

function proteinData({ name, protein }: NamedProtein) {
  const { residues, tracks } = protein;
  const sequence = ungapped(residues);
  const graphs = Object.entries(tracks).map(([track, values], index) => {
    const own = withoutGaps(values, residues).flatMap((value, place) =>
      typeof value === 'number' ? [{ position: place + 1, value }] : [],
    );
    return { name: track, color: colour(index), range: rangeOf(own), values: own };
  });
  const features = regionsOf(protein).map(({ start, end, label, track, bound, score }, index) => ({
    accession: `${name}.${index + 1}`,
    start,
    end,
    type: label,
    color: colour(Object.keys(tracks).indexOf(track)),
    shape: 'rectangle',
    tooltipContent: `${label}: ${track} ${bound}, mean ${score.toFixed(3)}`,
  }));
  return {
    accession: name,
    sequence,
    length: sequence.length,
    linegraph: graphs.filter(({ values }) => values.length > 0),
    features,
  };
}

function colour(index: number): string {
  return COLOURS[Math.max(0, index) % COLOURS.length] ?? '#000000';
}

/** At least from 0 to 1, so that graphs of several proteins can be compared. */
function rangeOf(values: readonly { readonly value: number }[]): [number, number] {
  const low = values.reduce((least, { value }) => Math.min(least, value), 0);
  const high = values.reduce((most, { value }) => Math.max(most, value), 1);
  return [low, high];
}
