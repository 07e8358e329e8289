/** The recorded outputs of the real engines. */
import type { MoleculeOptions } from '../../src/kinds/vocabulary.ts';
import { golden } from '../kinds/goldens.ts';

export const recordingText = (path: string): string => golden(`${path}.json`);

export interface AcpypeRecording {
  readonly name: string;
  readonly ok: boolean;
  /** null: of a file. */
  readonly smiles: string | null;
  readonly charge_method: MoleculeOptions['chargeMethod'];
  readonly net_charge: number | null;
  readonly atom_type: MoleculeOptions['atomType'];
  readonly log: string;
  readonly results: Readonly<Record<string, string>>;
}

export function acpypeRecording(name: string): AcpypeRecording {
  return JSON.parse(recordingText(`acpype/${name}`)) as AcpypeRecording;
}

export function recordedOptions(of: AcpypeRecording): MoleculeOptions {
  const { charge_method: chargeMethod, net_charge: netCharge, atom_type: atomType } = of;
  return { kind: 'molecule', chargeMethod, netCharge, atomType };
}

/** The finished-job record (contract of the molecule service, 2.4) of such a job. */
export function finishedRecord(recording: AcpypeRecording): Record<string, unknown> {
  return {
    id: 7,
    creation_date: '2026-11-21T10:00:00',
    token: 'tok-9f3a7c',
    hash_id: 'abc123',
    log: recording.log,
    views: 0,
    result_request: { id: 7, request_text: 'done', location: '/x', status: 200, public: false },
    results: [recording.results],
  };
}
