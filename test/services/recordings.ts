/** The recorded outputs of the real engines. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const FOLDER = new URL('../../packages/local-services/recordings/', import.meta.url);

/** Names of the recordings in a folder, without their extension. */
export function recordingNames(folder: string): string[] {
  const files = readdirSync(new URL(`${folder}/`, FOLDER)).filter((name) =>
    name.endsWith('.json.gz'),
  );
  return files.map((name) => name.slice(0, -'.json.gz'.length)).sort();
}

export function recordingText(path: string): string {
  return gunzipSync(readFileSync(new URL(`${path}.json.gz`, FOLDER))).toString();
}

export interface AcpypeRecording {
  readonly name: string;
  readonly ok: boolean;
  readonly charge_method: 'bcc' | 'gas';
  readonly net_charge: number | null;
  readonly atom_type: 'gaff' | 'gaff2' | 'amber';
  readonly log: string;
  readonly results: Readonly<Record<string, string>>;
}

export function acpypeRecording(name: string): AcpypeRecording {
  return JSON.parse(recordingText(`acpype/${name}`)) as AcpypeRecording;
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
