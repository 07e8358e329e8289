/** Converts the option columns of a row to the typed options of its kind, with the defaults of the services. */
import {
  ATOM_TYPES,
  CHARGE_METHODS,
  DEFAULT_PREDICTORS,
  EARLIER_NAMES,
  KINDS,
  MODEL_CLASSES,
  PREDICTORS,
  type AlignmentOptions,
  type Kind,
  type MoleculeOptions,
  type Options,
  type Predictor,
  type SequenceOptions,
  type ShiftsOptions,
} from '../domain/item.ts';
import type { Field } from './columns.ts';
import { nearest } from './problems/nearest.ts';
import { complaint, type Complaint } from './problems/problems.ts';

/** The trimmed value of one of our columns; empty if the row does not have it. */
export type FieldValues = (field: Field) => string;

const COLUMNS_OF_KIND: Readonly<Record<Kind, readonly Field[]>> = {
  molecule: ['charge_method', 'net_charge', 'atom_type'],
  sequence: ['predictors'],
  alignment: [],
  shifts: ['model_class', 'original_numbering'],
};

const COLUMNS_OF_OTHERS: Readonly<Record<Kind, readonly Field[]>> = {
  molecule: columnsOfAllBut('molecule'),
  sequence: columnsOfAllBut('sequence'),
  alignment: columnsOfAllBut('alignment'),
  shifts: columnsOfAllBut('shifts'),
};

function columnsOfAllBut(kind: Kind): Field[] {
  return KINDS.filter((other) => other !== kind).flatMap((other) => COLUMNS_OF_KIND[other]);
}

const TRUE = ['true', 'yes', 'y', 't', '1'];
const FALSE = ['false', 'no', 'n', 'f', '0'];

interface ReadOptions {
  /** With defaults for refused values: the row then has an error. */
  readonly options: Options;
  readonly complaints: readonly Complaint[];
}

export function readOptions(kind: Kind, values: FieldValues): ReadOptions {
  const complaints: Complaint[] = [];
  for (const column of COLUMNS_OF_OTHERS[kind]) {
    const value = values(column);
    if (value === '') continue;
    complaints.push(complaint('MANIFEST_OPTION_UNUSED', { column, kind }, { column, value }));
  }
  return { options: READERS[kind](values, complaints), complaints };
}

const READERS: Readonly<Record<Kind, (values: FieldValues, complaints: Complaint[]) => Options>> = {
  molecule: moleculeOptions,
  sequence: sequenceOptions,
  alignment: (): AlignmentOptions => ({ kind: 'alignment' }),
  shifts: shiftsOptions,
};

function moleculeOptions(values: FieldValues, complaints: Complaint[]): MoleculeOptions {
  const method = values('charge_method');
  const isMisspelt = method.toLowerCase() === 'bbc';
  if (isMisspelt) {
    const where = { column: 'charge_method', value: method };
    complaints.push(complaint('MANIFEST_CHARGE_METHOD_BBC', {}, where));
  }
  return {
    kind: 'molecule',
    chargeMethod: isMisspelt
      ? 'bcc'
      : choice('charge_method', method, CHARGE_METHODS, 'bcc', complaints),
    netCharge: netCharge(values('net_charge'), complaints),
    atomType: choice('atom_type', values('atom_type'), ATOM_TYPES, 'gaff2', complaints),
  };
}

function sequenceOptions(values: FieldValues, complaints: Complaint[]): SequenceOptions {
  const written = values('predictors');
  const predictors: Predictor[] = [];
  for (const name of written.split(/[,;\s]+/).filter((part) => part !== '')) {
    const predictor = PREDICTORS.find((known) => known === name.toLowerCase());
    if (predictor === undefined) {
      const earlier = PREDICTORS.find((one) => EARLIER_NAMES[one] === name.toLowerCase());
      const suggestion = earlier ?? nearest(name, PREDICTORS);
      const where = { column: 'predictors', value: written };
      complaints.push(complaint('MANIFEST_PREDICTOR_UNKNOWN', { name, suggestion }, where));
    } else if (!predictors.includes(predictor)) predictors.push(predictor);
  }
  return {
    kind: 'sequence',
    predictors: predictors.length === 0 ? DEFAULT_PREDICTORS : predictors,
  };
}

function shiftsOptions(values: FieldValues, complaints: Complaint[]): ShiftsOptions {
  // Spreadsheet programs write 1 as 1.0 if the column has an empty cell.
  const modelClass = values('model_class').replace(/\.0*$/, '');
  const numbering = values('original_numbering').replace(/\.0*$/, '');
  const isTrue = choice('original_numbering', numbering, [...TRUE, ...FALSE], 'true', complaints);
  return {
    kind: 'shifts',
    modelClass: choice('model_class', modelClass, MODEL_CLASSES, '1', complaints),
    originalNumbering: TRUE.includes(isTrue),
  };
}

/** One of a few words, case-insensitive; the fallback if the cell is empty or invalid. */
function choice<T extends string>(
  column: Field,
  value: string,
  allowed: readonly T[],
  fallback: T,
  complaints: Complaint[],
): T {
  if (value === '') return fallback;
  const chosen = allowed.find((word) => word === value.toLowerCase());
  if (chosen !== undefined) return chosen;
  const shownChoices = column === 'original_numbering' ? ['true', 'false'] : allowed;
  const facts = { column, allowed: shownChoices, suggestion: nearest(value, allowed) };
  complaints.push(complaint('MANIFEST_OPTION_INVALID', facts, { column, value }));
  return fallback;
}

/** `-1`, `+1`, `1.0` (spreadsheet programs write integers like this) and `−1` with a typographic minus sign. */
function netCharge(value: string, complaints: Complaint[]): number | null {
  if (value === '') return null;
  const plain = value.replace('\u2212', '-');
  // `|| 0`: turns minus zero into zero.
  if (/^[-+]?\d{1,3}(\.0*)?$/.test(plain)) return Number(plain) || 0;
  complaints.push(complaint('MANIFEST_NET_CHARGE_INVALID', {}, { column: 'net_charge', value }));
  return null;
}
