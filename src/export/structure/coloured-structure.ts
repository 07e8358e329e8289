/** Assigns a predictor's values to the residues of the user's structure. */
import type { ExportItem } from '../format.ts';
import { whyLeftOut, type LeftOut } from '../left-out.ts';
import { namedProteins } from '../proteins.ts';
import { ungapped, withoutGaps } from '../regions.ts';
import { matchChain } from './match-chain.ts';
import { readChains, type Chain, type ChainResidue } from './pdb-file.ts';

export interface ColouredResidue extends ChainResidue {
  readonly chain: string;
  /** Null if the predictor has none. */
  readonly value: number | null;
}

export interface ColouredStructure {
  /** The residues of the chains that match the item's sequence. */
  readonly residues: readonly ColouredResidue[];
  readonly notes: readonly string[];
}

/** @param track the payload's key: `backbone` */
export function colourStructure(item: ExportItem, track: string): ColouredStructure | LeftOut {
  const { name = '', text = '' } = item.structure ?? {};
  const chains = readChains(text);
  if (chains.length === 0) {
    return whyLeftOut('STRUCTURE_UNREADABLE', { name, mmcif: /^data_/m.test(text) });
  }
  const proteins = namedProteins(item, item.reading).map(({ name: called, protein }) => {
    const values = protein.tracks[track];
    const sequence = ungapped(protein.residues).toUpperCase();
    return { called, sequence, values: values && withoutGaps(values, protein.residues) };
  });
  if (proteins.every(({ values }) => values === undefined)) return noTrack(item, track);
  const residues: ColouredResidue[] = [];
  const notes: string[] = [];
  for (const { id, residues: own } of chains) {
    const fits = proteins.flatMap((protein) => {
      const indices = matchChain(own, protein.sequence);
      return indices === null ? [] : [{ ...protein, indices }];
    });
    const [fit, other] = fits;
    if (fit === undefined) notes.push(`chain ${id} of ${name} does not match its sequence`);
    if (other !== undefined)
      notes.push(
        `chain ${id} of ${name} matches several of its sequences; ${fit?.called ?? ''} is shown`,
      );
    residues.push(...(fit === undefined ? [] : coloured(id, own, fit.indices, fit.values ?? [])));
  }
  if (residues.length > 0) return { residues, notes };
  const ids = chains.map(({ id }) => id.trim() || '(blank)');
  return whyLeftOut('STRUCTURE_DIFFERS', { name, chains: ids });
}

function coloured(
  chain: string,
  residues: Chain['residues'],
  indices: readonly number[],
  values: readonly (number | string | null)[],
): ColouredResidue[] {
  return residues.map((residue, place) => {
    const value = values[indices[place] ?? -1];
    return { ...residue, chain, value: typeof value === 'number' ? value : null };
  });
}

export function noTrack({ reading }: ExportItem, track: string): LeftOut {
  const known =
    reading?.kind === 'sequence' || reading?.kind === 'alignment'
      ? Object.keys(reading.proteins[0]?.tracks ?? {})
      : [];
  return whyLeftOut('NO_TRACK', { track, known });
}
