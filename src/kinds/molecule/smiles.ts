/** The checks of a SMILES (OpenSMILES specification 1.0), based on RDKit's facts. */
import type { MoleculeOptions } from '../../domain/item.ts';
import type { Chemist, Refused, SmilesFacts, Unanswered } from './chemist.ts';
import { unsupportedElements } from './element.ts';
import { finding, type InputFinding } from '../finding.ts';
import { ATOM_LIMIT } from './structure.ts';

interface CheckedSmiles {
  /** RDKit's canonical form; null if it is not a molecule. */
  readonly canonical: string | null;
  readonly findings: readonly InputFinding[];
}

export async function checkSmiles(
  smiles: string,
  options: MoleculeOptions,
  chemist: Chemist,
): Promise<CheckedSmiles> {
  const foreign = foreignText(smiles) ?? tooLong(smiles);
  if (foreign !== null) return { canonical: null, findings: [foreign] };
  const read = await chemist.readSmiles(smiles);
  if (read.type !== 'molecule') return { canonical: null, findings: [notRead(read)] };
  return { canonical: read.canonical, findings: checkMolecule(read, options) };
}

/**
 * Accepted by RDKit but not in the specification: it stops reading at a space or a non-ASCII letter, and has its own
 * bonds and atoms (`~`, `->`, `[#6]`), which Open Babel, the reader of the engine, reads differently or not at all.
 */
const FOREIGN = /[^A-Za-z0-9@+\-[\]()=#:/\\%*.]|(?<=\[\d*)#/;

function foreignText(smiles: string): InputFinding | null {
  if (smiles === '') return finding('SMILES_SYNTAX', { position: null, reason: 'it is empty' });
  const found = FOREIGN.exec(smiles);
  if (found === null) return null;
  const position = found.index + 1;
  return finding('SMILES_SYNTAX', { position, reason: foreignReason(smiles, found.index) });
}

function foreignReason(smiles: string, index: number): string {
  const [character = ''] = smiles.slice(index);
  if (/\s/.test(character)) return 'it contains a blank (write a title into the column `title`)';
  // `->` is an RDKit extension for bonds.
  if (/^>[^>]*>/.test(smiles.slice(index))) return 'it is a reaction, not a molecule';
  return `the character ${JSON.stringify(character)} has no meaning here`;
}

/** Keeps texts far over the limit from RDKit: some of its work is quadratic in the length. */
function tooLong(smiles: string): InputFinding | null {
  if (smiles.length <= ATOM_LIMIT) return null;
  const atoms = smiles.match(/\[[^\]]*\]|Cl|Br|[BCNOPSFIbcnops*]/g)?.length ?? 0;
  return atoms > ATOM_LIMIT
    ? finding('MOLECULE_TOO_MANY_ATOMS', { atoms, atLeast: true, limit: ATOM_LIMIT })
    : null;
}

function notRead(read: Refused | Unanswered): InputFinding {
  const { reason } = read;
  if (read.type === 'unanswered') return finding('SMILES_UNANSWERED', { reason });
  const facts = { position: read.position, reason };
  return finding(read.fault === 'syntax' ? 'SMILES_SYNTAX' : 'SMILES_CHEMISTRY', facts);
}

function checkMolecule(facts: SmilesFacts, options: MoleculeOptions): InputFinding[] {
  const { components, wildcard, radicals, atoms } = facts;
  const findings: InputFinding[] = [];
  if (components > 1) findings.push(finding('SMILES_SEVERAL_COMPONENTS', { components }));
  if (wildcard) findings.push(finding('SMILES_WILDCARD', {}));
  const elements = unsupportedElements(facts.elements);
  if (elements.length > 0) findings.push(finding('MOLECULE_ELEMENT_UNSUPPORTED', { elements }));
  // RDKit counts the unpaired electrons of a metal; the metal is already reported.
  else if (radicals > 0) findings.push(finding('SMILES_RADICAL', { radicals }));
  if (atoms === 1) findings.push(finding('MOLECULE_SINGLE_ATOM', {}));
  if (atoms !== null && atoms > ATOM_LIMIT) {
    findings.push(finding('MOLECULE_TOO_MANY_ATOMS', { atoms, atLeast: false, limit: ATOM_LIMIT }));
  }
  return [...findings, ...checkNetCharge(facts.formalCharge, options)];
}

/**
 * A net charge that differs from that of the SMILES. With `gas` the engine ignores it and reports success with the
 * wrong total; with `bcc` it fails, or computes another ion if the difference is even.
 */
function checkNetCharge(
  formal: number,
  { netCharge, chargeMethod }: MoleculeOptions,
): InputFinding[] {
  if (netCharge === null || netCharge === formal) return [];
  const code = chargeMethod === 'gas' ? 'SMILES_CHARGE_IGNORED' : 'SMILES_CHARGE_DIFFERS';
  return [finding(code, { formal, given: netCharge })];
}
