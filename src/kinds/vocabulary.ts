/** The options of the four kinds: their columns, their words, and the values of an item. */
import {
  ATOM_TYPES,
  CHARGE_METHODS,
  DEFAULT_PREDICTORS,
  EARLIER_NAMES,
  MODEL_CLASSES,
  PREDICTORS,
  type ModelClass,
  type Predictor,
} from '../../packages/local-services/src/contract.ts';
import { formatShown, list, suggestOr } from '../domain/plain-text.ts';
import { createError, type OptionColumns, type ValuesOf } from './kind.ts';

export { EARLIER_NAMES, MODEL_CLASSES, PREDICTORS };
export type { ModelClass, Predictor };

export const MOLECULE_OPTIONS = {
  charge_method: {
    key: 'chargeMethod',
    description: 'How partial charges are computed: AM1-BCC, or Gasteiger.',
    type: 'choice',
    allowed: CHARGE_METHODS,
    default: 'bcc',
    // The examples of the service have it.
    misspelt: {
      bbc: {
        meant: 'bcc',
        finding: createError(
          'MANIFEST_CHARGE_METHOD_BBC',
          '`bbc` is not a charge method, but a misspelling of `bcc` in the examples of the service; the job would fail.',
          'Write `bcc` (AM1-BCC), or leave the cell empty.',
        ),
      },
    },
    synonyms: ['charge_model'],
  },
  net_charge: {
    key: 'netCharge',
    description: 'Net charge in elementary charges; empty: the engine computes it.',
    type: 'integer',
    refuse: (value: string) =>
      createError(
        'MANIFEST_NET_CHARGE_INVALID',
        `\`${formatShown(value)}\` is not a net charge.`,
        'Write a whole number like -1, 0 or +1, or leave the cell empty for automatic.',
      ),
    synonyms: ['charge', 'formal_charge', 'total_charge'],
  },
  atom_type: {
    key: 'atomType',
    description: 'Atom types of the force field.',
    type: 'choice',
    allowed: ATOM_TYPES,
    default: 'gaff2',
    synonyms: ['force_field', 'forcefield'],
  },
} as const satisfies OptionColumns;

export type MoleculeOptions = ValuesOf<typeof MOLECULE_OPTIONS>;

export const SEQUENCE_OPTIONS = {
  predictors: {
    key: 'predictors',
    description: 'What is predicted for each residue.',
    type: 'list',
    allowed: PREDICTORS,
    default: DEFAULT_PREDICTORS,
    aliases: Object.fromEntries(Object.entries(EARLIER_NAMES).map(([name, old]) => [old, name])),
    refuse: (name: string, nearest: string | null) =>
      createError(
        'MANIFEST_PREDICTOR_UNKNOWN',
        `\`${formatShown(name)}\` is not a predictor.`,
        suggestOr(nearest, `Predictors are ${list(PREDICTORS)}.`),
      ),
  },
} as const satisfies OptionColumns;

/** `predictors`: in the user's order, without repeats, at least one. */
export type SequenceOptions = ValuesOf<typeof SEQUENCE_OPTIONS>;

export const SHIFTS_OPTIONS = {
  model_class: {
    key: 'modelClass',
    description: 'Model of ShiftCrypt: 1 all atoms, 2 common atoms, 3 N and H only.',
    type: 'choice',
    allowed: MODEL_CLASSES,
    default: '1',
  },
  original_numbering: {
    key: 'originalNumbering',
    description: 'Whether residues keep the numbers of the file.',
    type: 'flag',
    default: true,
  },
} as const satisfies OptionColumns;

export type ShiftsOptions = ValuesOf<typeof SHIFTS_OPTIONS>;
