/**
 * Which residues get a value from ShiftCrypt: it needs a fixed set of atoms for each model and amino acid, and gives
 * -10 if any of them has no shift.
 *
 * The sets were derived from its results for six entries under three models; where those are ambiguous (which methyl
 * protons of Ile, Thr and Val, for example), from the list of atoms in its code (b2bTools 3.0.9). They predict each of
 * the 2,091 values and -10s of the results (test/inputs/shiftcrypt.test.ts).
 */
import type { ModelClass } from '../../domain/item.ts';

/** Amino acid → the atoms besides those of the backbone that model 1 needs. */
const SIDE_CHAIN: Readonly<Record<string, readonly string[]>> = {
  ALA: ['CB'],
  GLY: [],
  ILE: ['CB', 'HB', 'HD11'],
  THR: ['CB', 'HB', 'HG21'],
  VAL: ['CB', 'HG11', 'HG22'],
  LEU: ['CB', 'HB2', 'HD11', 'HD21'],
  HIS: ['CB', 'HB2', 'HD2'],
  PRO: ['CB', 'HB2', 'HG2', 'CD', 'HD2'],
  ARG: ['CB', 'HB2'],
  ASN: ['CB', 'HB2'],
  ASP: ['CB', 'HB2'],
  CYS: ['CB', 'HB2'],
  GLN: ['CB', 'HB2'],
  GLU: ['CB', 'HB2'],
  LYS: ['CB', 'HB2'],
  MET: ['CB', 'HB2'],
  PHE: ['CB', 'HB2'],
  SER: ['CB', 'HB2'],
  TRP: ['CB', 'HB2'],
  TYR: ['CB', 'HB2'],
};

/** @returns null for a residue that is none of the 20 amino acids: it never gets a value */
export function atomsNeeded(model: ModelClass, residue: string): readonly string[] | null {
  const sideChain = SIDE_CHAIN[residue];
  if (sideChain === undefined || !Object.hasOwn(SIDE_CHAIN, residue)) return null;
  // Proline has no proton at its nitrogen.
  const amide = residue === 'PRO' ? [] : ['N', 'H'];
  if (model === '3') return ['CA', ...amide];
  const alpha = residue === 'GLY' ? ['HA2', 'HA3'] : ['HA'];
  const backbone = ['C', 'CA', ...alpha, ...amide];
  if (model === '1') return [...backbone, ...sideChain];
  return residue === 'GLY' ? backbone : [...backbone, 'CB'];
}

/** Whether a residue with shifts for these atoms gets a value. */
export function getsValue(
  model: ModelClass,
  residue: string,
  atoms: { has(atom: string): boolean },
): boolean {
  return atomsNeeded(model, residue)?.every((atom) => atoms.has(atom)) ?? false;
}
