/** The papers that a deposit has to cite, by what computed its results. */
import type { Kind } from '../../domain/item.ts';

export interface Work {
  readonly title: string;
  readonly doi: string;
  readonly year: number;
  readonly journal: string;
  readonly authors: readonly { readonly family: string; readonly given: string }[];
}

const ACPYPE: Work = {
  title: 'ACPYPE - AnteChamber PYthon Parser interfacE',
  doi: '10.1186/1756-0500-5-367',
  year: 2012,
  journal: 'BMC Research Notes',
  authors: [
    { family: 'Sousa da Silva', given: 'Alan W.' },
    { family: 'Vranken', given: 'Wim F.' },
  ],
};

const B2BTOOLS: Work = {
  title: 'b2bTools: online predictions for protein biophysical features and their conservation',
  doi: '10.1093/nar/gkab425',
  year: 2021,
  journal: 'Nucleic Acids Research',
  authors: [
    { family: 'Kagami', given: 'Luciano Porto' },
    { family: 'Orlando', given: 'Gabriele' },
    { family: 'Raimondi', given: 'Daniele' },
    { family: 'Vranken', given: 'Wim' },
  ],
};

export function worksBehind(kinds: readonly Kind[]): readonly Work[] {
  const predicts = kinds.some((kind) => kind !== 'molecule');
  return [...(kinds.includes('molecule') ? [ACPYPE] : []), ...(predicts ? [B2BTOOLS] : [])];
}
