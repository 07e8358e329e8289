/**
 * The possible findings of the checks of an input's content, with the facts for their messages. Findings are data: the
 * manifest layer knows where the input came from and converts them to problems.
 */
import type { InputText } from '../domain/item.ts';

export interface InputFacts {
  MOLECULE_NO_ATOMS: { readonly format: string };
  MOLECULE_MALFORMED: { readonly format: string; readonly line: number; readonly reason: string };
  /** `atLeast` if there are implicit hydrogens in addition. */
  MOLECULE_TOO_MANY_ATOMS: {
    readonly atoms: number;
    readonly atLeast: boolean;
    readonly limit: number;
  };
  MOLECULE_NO_HYDROGENS: { readonly atoms: number };
  MOLECULE_HYDROGENS_DOUBTFUL: { readonly atoms: number };
  MOLECULE_SEVERAL: {
    readonly what: 'models' | 'molecules' | 'alternate locations';
    readonly count: number;
  };
  MOLECULE_SEVERAL_RESIDUES: { readonly residues: readonly string[] };
  MOLECULE_ELEMENT_UNSUPPORTED: { readonly elements: readonly string[] };
  MOLECULE_SINGLE_ATOM: Readonly<Record<string, never>>;
  MOLECULE_ATOMS_TOO_CLOSE: {
    readonly first: number;
    readonly second: number;
    /** In ångström. */
    readonly distance: number;
  };
  MOLECULE_ATOM_FAR: { readonly atom: number; readonly distance: number };
  MOLECULE_SEVERAL_COMPONENTS: { readonly components: number };
  MOLECULE_HYDROGENS_MISSING: { readonly missing: number };
  MOLECULE_VALENCES_OPEN: { readonly open: number };
  MOLECULE_ELECTRONS_ODD: { readonly electrons: number; readonly charge: number };
  MOLECULE_CHARGE_UNSAID: Readonly<Record<string, never>>;
  MOLECULE_CHARGE_DIFFERS: { readonly formal: number; readonly given: number };
  /** `position` is null if RDKit gives none. */
  SMILES_SYNTAX: { readonly position: number | null; readonly reason: string };
  SMILES_CHEMISTRY: { readonly position: number | null; readonly reason: string };
  SMILES_UNANSWERED: { readonly reason: string };
  SMILES_SEVERAL_COMPONENTS: { readonly components: number };
  SMILES_WILDCARD: Readonly<Record<string, never>>;
  SMILES_RADICAL: { readonly radicals: number };
  SMILES_CHARGE_DIFFERS: { readonly formal: number; readonly given: number };
  SMILES_CHARGE_IGNORED: { readonly formal: number; readonly given: number };
  SEQUENCE_EMPTY: { readonly record: string };
  SEQUENCE_HEADER_EMPTY: { readonly line: number };
  SEQUENCE_TEXT_BEFORE_HEADER: { readonly line: number };
  SEQUENCE_NOT_RESIDUES: { readonly record: string; readonly characters: string };
  SEQUENCE_UNKNOWN_RESIDUES: { readonly record: string; readonly characters: string };
  SEQUENCE_ALL_UNKNOWN: { readonly record: string };
  SEQUENCE_STOP_REMOVED: { readonly record: string };
  SEQUENCE_NUCLEOTIDES: { readonly record: string };
  SEQUENCE_NUCLEOTIDES_DOUBTFUL: { readonly record: string };
  SEQUENCE_TOO_SHORT: {
    readonly record: string;
    readonly length: number;
    readonly minimum: number;
  };
  SEQUENCE_TOO_SHORT_FOR: {
    readonly record: string;
    readonly length: number;
    readonly minimum: number;
    readonly predictors: readonly string[];
  };
  SEQUENCE_LENGTH_FOR_PSPER: { readonly record: string; readonly length: number };
  SEQUENCE_NAME_REPEATED: { readonly record: string };
  ALIGNMENT_NOT_FASTA: { readonly format: string };
  ALIGNMENT_MALFORMED: { readonly format: string; readonly line: number; readonly reason: string };
  ALIGNMENT_SEVERAL: { readonly format: string; readonly count: number };
  ALIGNMENT_TOO_FEW_ROWS: { readonly rows: number };
  ALIGNMENT_UNEQUAL: {
    readonly record: string;
    readonly length: number;
    readonly expected: number;
  };
  ALIGNMENT_NAME_REPEATED: { readonly record: string };
  ALIGNMENT_GAP_CHARACTER: { readonly record: string; readonly characters: string };
  ALIGNMENT_EMPTY_COLUMNS: { readonly columns: number };
  ALIGNMENT_ROW_SHORT: {
    readonly record: string;
    readonly length: number;
    readonly minimum: number;
  };
  SHIFTS_FORMAT_UNKNOWN: Readonly<Record<string, never>>;
  SHIFTS_MALFORMED: { readonly line: number; readonly reason: string };
  SHIFTS_NO_LOOP: { readonly format: string };
  SHIFTS_NO_SEQUENCE: { readonly format: string };
  SHIFTS_TAG_MISSING: { readonly tag: string };
  SHIFTS_LOOP_FOREIGN: { readonly tag: string; readonly line: number };
  SHIFTS_SEQUENCE_CODE: { readonly code: string; readonly line: number };
  SHIFTS_RESIDUE_UNKNOWN: {
    readonly code: string;
    readonly residue: string;
    readonly line: number;
  };
  SHIFTS_RESIDUE_DIFFERS: {
    readonly code: string;
    readonly residue: string;
    readonly expected: string;
    readonly line: number;
  };
  SHIFTS_OF_LIGAND: { readonly entity: string; readonly line: number };
  SHIFTS_VALUE: { readonly atom: string; readonly value: string; readonly line: number };
  SHIFTS_SEVERAL_LISTS: { readonly line: number };
  SHIFTS_AUTHOR_NUMBERS: Readonly<Record<string, never>>;
  SHIFTS_ALL_MISSING: ShiftValues;
  SHIFTS_FEW_VALUES: ShiftValues;
}

interface ShiftValues {
  readonly model: string;
  /** Number of residues that get a value with that model, of how many. */
  readonly values: number;
  readonly residues: number;
  /** The model class with the most values, and their number. */
  readonly best: string;
  readonly most: number;
}

export type FindingCode = keyof InputFacts;

export type InputFinding<C extends FindingCode = FindingCode> = {
  [K in C]: { readonly code: K; readonly facts: InputFacts[K] };
}[C];

export function finding<C extends FindingCode>(code: C, facts: InputFacts[C]): InputFinding<C> {
  return { code, facts };
}

export interface Reading {
  readonly findings: readonly InputFinding[];
  /** The text to send; null if the input is invalid for its kind. */
  readonly input: InputText | null;
  /** See `Item.canonical`; meaningless if a finding is an error. */
  readonly canonical: string;
}
