/** The index of the recorded outputs: which file under `recordings/` answers which input with which options. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { EngineJob, OutputName } from './engine.ts';

export interface Recording {
  readonly kind: EngineJob['kind'];
  /** SHA-256 of the canonical input (canonical.ts). */
  readonly input: string;
  readonly options: string;
  /** The name of the input, for people. */
  readonly what: string;
  /** Files beside the index, gzip-compressed as they were recorded. */
  readonly files: Readonly<Partial<Record<OutputName | 'job', string>>>;
  /** The engine's own words when it failed; absent otherwise. */
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
