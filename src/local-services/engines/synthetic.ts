/**
 * The synthetic engine: payloads of the right form without meaning, for tests and benchmarks. Deterministic from the
 * input, and labelled in every payload, so that it cannot be taken for a real result.
 */
import { parseFasta } from '../fasta.ts';
import {
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
  type Output,
  pace,
} from './engine.ts';
import { syntheticMolecule } from './synthetic-molecule.ts';
import {
  syntheticAlignment,
  syntheticSequences,
  syntheticShifts,
} from './synthetic-predictions.ts';

/** Part of every payload. */
const SYNTHETIC = 'SYNTHETIC: shape only, made without any computation; not a result';

export class SyntheticEngine implements Engine {
  readonly name = 'synthetic';
  readonly version = '1';
  readonly #jobMs: (job: EngineJob) => number;

  constructor(jobMs: (job: EngineJob) => number) {
    this.#jobMs = jobMs;
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    await pace(this.#jobMs(job), context);
    return outcomeOf(job);
  }
}

function outcomeOf(job: EngineJob): EngineOutcome {
  const done = (...outputs: Output[]): EngineOutcome => ({ ok: true, outputs, log: SYNTHETIC });
  switch (job.kind) {
    case 'molecule':
      return done(json('result', syntheticMolecule(job, SYNTHETIC)));
    case 'sequence': {
      const made = syntheticSequences(parseFasta(job.fasta).records, job.predictors, SYNTHETIC);
      return done(
        json('result', made.result),
        csv('csv', made.csv),
        csv('metadata', made.metadata),
      );
    }
    case 'alignment': {
      const made = syntheticAlignment(parseFasta(job.fasta).records, SYNTHETIC);
      return done(
        json('result', made.result),
        csv('csv', made.csv),
        csv('metadata', made.metadata),
        json('distributions', made.distributions),
      );
    }
    case 'shifts': {
      const made = syntheticShifts(job, SYNTHETIC);
      if (made === null) {
        const message =
          'The text names no residues: it is neither NEF nor NMR-STAR with a sequence.';
        return { ok: false, message, log: message };
      }
      return done(json('result', made.result), csv('csv', made.csv));
    }
  }
}

function json(name: Output['name'], value: unknown): Output {
  return { name, contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function csv(name: Output['name'], rows: readonly (readonly (string | number | null)[])[]): Output {
  const body = Buffer.from(`${rows.map((row) => row.map(csvField).join(',')).join('\n')}\n`);
  return { name, contentType: 'text/csv; charset=utf-8', body };
}

function csvField(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
