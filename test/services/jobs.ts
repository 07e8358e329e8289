/** One job of each kind, with everything that a service receives. */
import type { Job } from '../../src/services/service.ts';
import type { Kind } from '../../src/domain/item.ts';

export const TOKEN = 'tok-9f3a7c';

export const JOBS: Readonly<Record<Kind, Job>> = {
  molecule: {
    kind: 'molecule',
    options: { kind: 'molecule', chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' },
    input: { name: 'input.smi', text: 'CCO ethanol\n' },
    name: 'demo.ethanol.1a2b3c',
    title: 'Ethanol',
    email: null,
  },
  sequence: {
    kind: 'sequence',
    options: { kind: 'sequence', predictors: ['dynamine', 'efoldmine', 'psper'] },
    input: { name: 'input.fasta', text: '>one\nMKTLLLTLVVVTIVCLDLGY\n' },
    name: 'demo.one.1a2b3c',
    title: null,
    email: null,
  },
  alignment: {
    kind: 'alignment',
    options: { kind: 'alignment' },
    input: { name: 'input.fasta', text: '>a\nMK-TL\n>b\nMKRTL\n' },
    name: 'demo.pair.1a2b3c',
    title: null,
    email: null,
  },
  shifts: {
    kind: 'shifts',
    options: { kind: 'shifts', modelClass: '2', originalNumbering: false },
    input: { name: 'input.nef', text: 'data_nef_x\n' },
    name: 'demo.shifts.1a2b3c',
    title: null,
    email: null,
  },
};

/** A signal that is never aborted. */
export function quiet(): { signal: AbortSignal } {
  return { signal: new AbortController().signal };
}
