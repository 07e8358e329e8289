/** Why a selected item is not in the files. The table in docs/export.md is made of it (scripts/error-tables.ts). */

interface LeftOutWords {
  /** In general; Markdown, for the documentation. */
  readonly meaning: string;
  /** About one item, in a sentence without its id. */
  readonly message: (facts: never) => string;
}

const UNREADABLE = {
  'no reading': 'its result cannot be read',
  'no atoms': 'its result contains no atoms',
  'no protein': 'its result contains no protein',
  'no residues': 'its result does not show the residues',
  'no topology': 'its _GMX.itp is not a topology of ACPYPE',
} as const;

export const LEFT_OUT = {
  NOT_SUCCEEDED: {
    meaning: 'the item failed, is held, was refused or has not ended',
    message: ({ state, error }: { state: string; error: string | null }) =>
      `it is ${state}${error === null ? '' : `: ${error}`}`,
  },
  FILE_MISSING: {
    meaning: 'a file of its result is not in the tree',
    message: (facts: { key: string } | { ending: string }) =>
      'key' in facts
        ? `${facts.key} is missing`
        : `its record lists no file that ends in ${facts.ending}`,
  },
  FILE_DAMAGED: {
    meaning: 'the SHA-256 of a file differs from the one recorded when the file was received',
    message: ({ key }: { key: string }) => `${key} is not what was received`,
  },
  RESULT_UNREADABLE: {
    meaning: 'the result does not have the form that ACPYPE or the predictors produce',
    message: ({ lack }: { lack: keyof typeof UNREADABLE }) => UNREADABLE[lack],
  },
  HYDROGENS_MISSING: {
    meaning:
      'a carbon of the ligand lacks hydrogens: ACPYPE assigns types anyway, but those of a different molecule',
    message: ({ carbon, sign }: { carbon: string; sign: string }) =>
      `hydrogens are missing: its carbon ${carbon} has ${sign}`,
  },
  BOND_ORDERS_UNKNOWN: {
    meaning:
      'no combination of bond orders and formal charges fits the atoms, bonds and net charge (`sdf`, `smi`)',
    message: (facts: { partialCharges: number } | { netCharge: number }) =>
      'netCharge' in facts
        ? `no bond orders match its atoms, its bonds and the net charge ${facts.netCharge}`
        : `its partial charges sum to ${facts.partialCharges}, which is not an integer`,
  },
  DEFAULTS_DIFFER: {
    meaning:
      'the `[ defaults ]` of the ligand differ from those of AMBER, so it cannot be in one system with the others (`gromacs`)',
    message: (_: object) => 'its [ defaults ] are not those of the other ligands (AMBER)',
  },
  NO_SMILES: {
    meaning: 'RDKit refuses the molecule with the bond orders that fit (`smi`)',
    message: (_: object) => 'RDKit refuses the molecule with the bond orders that fit; use sdf',
  },
  NO_TRACK: {
    meaning:
      'the result does not contain the requested predictor; the message lists those that it contains',
    message: ({ track, known }: { track: string; known: readonly string[] }) =>
      `its result has no ${track}; it has ${known.join(', ')}`,
  },
  STRUCTURE_UNNAMED: {
    meaning: 'the row names no structure file',
    message: ({ column }: { column: string }) =>
      `its row names no structure file in the column ${column}`,
  },
  STRUCTURE_UNREADABLE: {
    meaning: 'the structure file is missing or is not a PDB file',
    message: (
      facts:
        | { path: string; reason: string; accession: string | null }
        | { name: string; mmcif: boolean },
    ) => ('path' in facts ? structureUnread(facts) : noChain(facts)),
  },
  STRUCTURE_OUTSIDE: {
    meaning: 'the structure file is outside the folder of the manifest, or of `--structures`',
    message: ({ name, folder }: { name: string; folder: string }) => `${name} is outside ${folder}`,
  },
  STRUCTURE_DIFFERS: {
    meaning: 'no chain of the structure agrees with the sequence, residue by residue, in one place',
    message: ({ name, chains }: { name: string; chains: readonly string[] }) =>
      `no chain of ${name} (${chains.join(', ')}) matches its sequence, residue by residue, in exactly one place`,
  },
} as const satisfies Readonly<Record<string, LeftOutWords>>;

function structureUnread(facts: {
  readonly path: string;
  readonly reason: string;
  readonly accession: string | null;
}): string {
  const { path, reason, accession } = facts;
  const hint =
    accession === null
      ? ''
      : `; ${accession} looks like a UniProt accession: nothing is downloaded, save the model and name its file`;
  return `${path} cannot be read (${reason})${hint}`;
}

function noChain({ name, mmcif }: { readonly name: string; readonly mmcif: boolean }): string {
  const hint = mmcif ? '; it looks like mmCIF: save it as PDB' : '';
  return `${name} contains no chain in PDB format${hint}`;
}

type LeftOutCode = keyof typeof LEFT_OUT;

type LeftOutFacts<C extends LeftOutCode> = Parameters<(typeof LEFT_OUT)[C]['message']>[0];

/** The table by code, so that a code and its facts belong together. */
const WORDS: {
  readonly [C in LeftOutCode]: { readonly message: (facts: LeftOutFacts<C>) => string };
} = LEFT_OUT;

export interface LeftOut {
  readonly code: LeftOutCode;
  /** In a sentence without the id. */
  readonly message: string;
}

export function whyLeftOut<C extends LeftOutCode>(code: C, facts: LeftOutFacts<C>): LeftOut {
  return { code, message: WORDS[code].message(facts) };
}

/** As the answer of an exporter. */
export function leftOut<C extends LeftOutCode>(
  code: C,
  facts: LeftOutFacts<C>,
): { readonly leftOut: LeftOut } {
  return { leftOut: whyLeftOut(code, facts) };
}
