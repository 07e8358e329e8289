/**
 * The canonical form of a job: equal for inputs for which the engine must give the same output. The index of the
 * recordings is built and searched with it.
 */
import { createHash } from 'node:crypto';
import { PREDICTORS, type Predictor } from '../contract.ts';
import { parseFasta, resultIds } from '../fasta.ts';
import type { EngineJob } from './engine.ts';

export interface CanonicalJob {
  readonly kind: EngineJob['kind'];
  /** SHA-256 of the canonical input. */
  readonly input: string;
  /** The options, as one readable word. */
  readonly options: string;
}

/** Line ends, a byte order mark and white space at the ends do not matter to the engines. */
function normalised(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n|\r/g, '\n')
    .trimEnd();
}

/** Predictors in the contract's order, without repeats; b2bTools always runs dynamine. */
function predictorSet(predictors: readonly string[]): Predictor[] {
  return PREDICTORS.filter((name) => name === 'dynamine' || predictors.includes(name));
}

/** The keys that each predictor adds to a protein of a result, with one value per residue. */
const KEYS: Readonly<Record<Predictor, readonly string[]>> = {
  dynamine: ['backbone', 'sidechain', 'ppII', 'coil', 'sheet', 'helix'],
  efoldmine: ['earlyFolding'],
  disomine: ['disoMine'],
  agmata: ['agmata'],
  psper: ['complexity', 'arg', 'tyr', 'RRM', 'disorder'],
};

export function predictorKeys(predictors: readonly string[]): string[] {
  return predictorSet(predictors).flatMap((name) => KEYS[name]);
}

function inputText(job: EngineJob): string {
  switch (job.kind) {
    case 'molecule':
      return job.smiles === null
        ? `file\n${normalised(job.inputFile ?? '')}`
        : `smiles\n${job.smiles.trim()}`;
    case 'sequence':
      // The predictions depend only on the residues; headers only name them.
      return parseFasta(job.fasta)
        .records.map((record) => record.residues)
        .join('\n');
    case 'alignment': {
      const { records } = parseFasta(job.fasta);
      const ids = resultIds(records.map((record) => record.header));
      return records.map((record, n) => `>${ids[n] ?? ''}\n${record.residues}`).join('\n');
    }
    case 'shifts':
      return normalised(job.text);
  }
}

function optionsText(job: EngineJob): string {
  switch (job.kind) {
    case 'molecule':
      return `${job.chargeMethod}/${job.netCharge === null ? 'auto' : String(job.netCharge)}/${job.atomType}`;
    case 'sequence':
      return predictorSet(job.predictors).join('+');
    case 'alignment':
      return 'msa';
    case 'shifts':
      return `model ${job.modelClass}/${job.originalNumbering ? 'original' : 'renumbered'}`;
  }
}

export function canonical(job: EngineJob): CanonicalJob {
  return {
    kind: job.kind,
    input: createHash('sha256').update(inputText(job)).digest('hex'),
    options: optionsText(job),
  };
}
