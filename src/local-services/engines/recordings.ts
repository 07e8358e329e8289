/** The index of the recorded outputs: which file under `recordings/` is the output for which input and options. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { EngineJob, OutputName } from './engine.ts';

export interface Recording {
  readonly kind: EngineJob['kind'];
  /** SHA-256 of the canonical input (canonical.ts). */
  readonly input: string;
  readonly options: string;
  /** The name of the input, for display. */
  readonly what: string;
  /** Files in the same folder, gzip-compressed as they were recorded. */
  readonly files: Readonly<Partial<Record<OutputName | 'job', string>>>;
  /** The engine's own message if it failed; absent otherwise. */
  readonly failure?: string;
}

export interface RecordingIndex {
  readonly about: string;
  /** Program and version, by kind of job. */
  readonly programs: Readonly<Record<EngineJob['kind'], string>>;
  readonly recordings: readonly Recording[];
}

const FOLDER = new URL('../recordings/', import.meta.url);

export function loadIndex(): RecordingIndex {
  // The index is made by scripts/index-recordings.ts and checked by test/local-services/recordings.test.ts.
  return JSON.parse(readFileSync(new URL('index.json', FOLDER), 'utf8')) as RecordingIndex;
}

/** The bytes of a recorded file, as the engine wrote them. */
export function readRecording(file: string): Buffer {
  return gunzipSync(readFileSync(new URL(file, FOLDER)));
}
