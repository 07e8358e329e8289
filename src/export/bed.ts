/** `bed`: regions above the predictors' thresholds, as BED (GA4GH, BED v1.0): 0-based, with exclusive ends. */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { OF_PROTEINS, withProteins, type NamedProteins } from './proteins.ts';
import { regionsOf } from './regions.ts';

export const bed: ExportFormat = {
  name: 'bed',
  ...OF_PROTEINS,
  content: "regions above the predictors' thresholds, BED",
  loadedBy: 'bedtools, pybedtools',
  structure: 'none',
  start: (): Exporter => ({ add: withProteins(addRegions), end: () => [] }),
};

/** The maximum of BED's score; a predicted 1 is 1000. */
const HIGHEST_SCORE = 1000;

function addRegions(_: ExportItem, proteins: NamedProteins): Added {
  const lines = proteins.flatMap(({ name, protein }) =>
    regionsOf(protein).map(({ start, end, label, score }) => {
      const points = Math.round(Math.min(1, Math.max(0, score)) * HIGHEST_SCORE);
      return `${[name, start - 1, end, label.replaceAll(' ', '_'), points].join('\t')}\n`;
    }),
  );
  return { pieces: [{ file: 'regions.bed', text: lines.join(''), goesOn: true }] };
}
