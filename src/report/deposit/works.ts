/**
 * The works that a deposit has to cite, by the engine of its results. For molecules, the works that ACPYPE asks to cite
 * (its README); for predictions, those that b2bTools names (its metadata, and the README of Bio2Byte/public_notebooks).
 * Initials are used if these sources give no full names.
 */
import type { Kind } from '../../domain/item.ts';

interface Work {
  readonly title: string;
  readonly doi: string;
  readonly year: number;
  readonly journal: string;
  readonly authors: readonly Author[];
}

interface Author {
  readonly family: string;
  readonly given: string;
}

/** From `Family, Given`. */
function by(...names: readonly string[]): readonly Author[] {
  return names.map((name) => {
    const [family = '', given = ''] = name.split(', ');
    return { family, given };
  });
}

const ORLANDO = 'Orlando, Gabriele';
const RAIMONDI = 'Raimondi, Daniele';
const VRANKEN = 'Vranken, Wim';

const ACPYPE: readonly Work[] = [
  {
    title: 'ACPYPE - AnteChamber PYthon Parser interfacE',
    doi: '10.1186/1756-0500-5-367',
    year: 2012,
    journal: 'BMC Research Notes',
    authors: by('Sousa da Silva, Alan Wilter', 'Vranken, Wim F.'),
  },
  {
    title: 'Automatic atom type and bond type perception in molecular mechanical calculations',
    doi: '10.1016/j.jmgm.2005.12.005',
    year: 2006,
    journal: 'Journal of Molecular Graphics and Modelling',
    authors: by('Wang, J.', 'Wang, W.', 'Kollman, P. A.', 'Case, D. A.'),
  },
  {
    title: 'Development and testing of a general amber force field',
    doi: '10.1002/jcc.20035',
    year: 2004,
    journal: 'Journal of Computational Chemistry',
    authors: by('Wang, J.', 'Wolf, R. M.', 'Caldwell, J. W.', 'Kollman, P. A.', 'Case, D. A.'),
  },
];

const B2BTOOLS: Work = {
  title: 'b2bTools: online predictions for protein biophysical features and their conservation',
  doi: '10.1093/nar/gkab425',
  year: 2021,
  journal: 'Nucleic Acids Research',
  authors: by(
    ...['Kagami, Luciano Porto', ORLANDO, RAIMONDI, 'Ancien, Francois', 'Dixit, Bhawna'],
    ...['Gavaldá-García, Jose', 'Ramasamy, Pathmanaban', 'Roca-Martínez, Joel'],
    ...['Tzavella, Konstantina', VRANKEN],
  ),
};

/** Of DynaMine, which always runs, and of the other three predictors that run by default. */
const PREDICTORS: readonly Work[] = [
  {
    title: 'From protein sequence to dynamics and disorder with DynaMine',
    doi: '10.1038/ncomms3741',
    year: 2013,
    journal: 'Nature Communications',
    authors: by('Cilia, Elisa', 'Pancsa, Rita', 'Tompa, Peter', 'Lenaerts, Tom', VRANKEN),
  },
  {
    title:
      'Prediction of Disordered Regions in Proteins with Recurrent Neural Networks and Protein Dynamics',
    doi: '10.1016/j.jmb.2022.167579',
    year: 2022,
    journal: 'Journal of Molecular Biology',
    authors: by(ORLANDO, RAIMONDI, 'Codicè, Francesco', 'Tabaro, Francesco', VRANKEN),
  },
  {
    title: 'Exploring the Sequence-based Prediction of Folding Initiation Sites in Proteins',
    doi: '10.1038/s41598-017-08366-3',
    year: 2017,
    journal: 'Scientific Reports',
    authors: by(RAIMONDI, ORLANDO, 'Pancsa, Rita', 'Khan, Taushif', VRANKEN),
  },
  {
    title:
      'Accurate prediction of protein beta-aggregation with generalized statistical potentials',
    doi: '10.1093/bioinformatics/btz912',
    year: 2020,
    journal: 'Bioinformatics',
    authors: by(ORLANDO, 'Silva, Alexandra', 'Macedo-Ribeiro, Sandra', RAIMONDI, VRANKEN),
  },
];

const SHIFTCRYPT: Work = {
  title:
    'Auto-encoding NMR chemical shifts from their native vector space to a residue-level biophysical index',
  doi: '10.1038/s41467-019-10322-w',
  year: 2019,
  journal: 'Nature Communications',
  authors: by(ORLANDO, RAIMONDI, VRANKEN),
};

export function worksBehind(kinds: readonly Kind[]): readonly Work[] {
  const predicts = kinds.some((kind) => kind !== 'molecule');
  const ofChains = kinds.includes('sequence') || kinds.includes('alignment');
  return [
    ...(kinds.includes('molecule') ? ACPYPE : []),
    ...(predicts ? [B2BTOOLS] : []),
    ...(ofChains ? PREDICTORS : []),
    ...(kinds.includes('shifts') ? [SHIFTCRYPT] : []),
  ];
}
