/**
 * The possible findings of the checks of an input's content, with the facts for their messages. Findings are data: the
 * manifest layer knows where the input came from and converts them to problems.
 */
import type { InputText } from '../domain/item.ts';
import type { ProblemWords } from '../domain/problem.ts';

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
}

export type FindingCode = keyof InputFacts;

export function finding<C extends FindingCode>(code: C, facts: InputFacts[C]): InputFinding {
  return { code, facts };
}

/** A code of the problems of its kind, and the facts for its words: the manifest knows where the input came from. */
export interface InputFinding {
  readonly code: string;
  readonly facts: unknown;
}

/** Makes findings of these problems: the facts of a code are what its words need. */
export function findingsOf<P extends Readonly<Record<string, ProblemWords>>>(_problems: P) {
  return <C extends keyof P & string>(
    code: C,
    facts: Parameters<P[C]['message']>[0],
  ): InputFinding => ({ code, facts });
}

/** What is read of an input: the same for every kind. */
export interface Reading {
  readonly findings: readonly InputFinding[];
  /** The text to send; null if the input is invalid for its kind. */
  readonly input: InputText | null;
  /** See `Item.canonical`; meaningless if a finding is an error. */
  readonly canonical: string;
}
