/** The job of an item, as input of a local engine. */
import type { EngineJob } from '../local-services/engines/engine.ts';
import { detectFormat } from '../local-services/star.ts';
import { jobOptionsOf, type ItemRecord } from '../store/item-record.ts';

/** Whether the result of an item can be recomputed from the tree. */
export function isRepeatable({ state, engine, adopted }: ItemRecord): boolean {
  return state === 'succeeded' && engine !== 'synthetic' && adopted?.inputKnown !== false;
}

/** @param input the text that was sent */
export function engineJob(record: ItemRecord, input: string): EngineJob {
  const options = jobOptionsOf(record);
  switch (options.kind) {
    case 'molecule': {
      const { chargeMethod, netCharge, atomType } = options;
      const isSmiles = record.input.name.endsWith('.smi');
      return {
        kind: 'molecule',
        // The line of a .smi file may have a name after the SMILES.
        smiles: isSmiles ? (/\S+/.exec(input)?.[0] ?? '') : null,
        inputFile: isSmiles ? null : input,
        fileName: isSmiles ? record.id : record.input.name,
        chargeMethod,
        netCharge,
        atomType,
      };
    }
    case 'sequence': {
      const { predictors } = options;
      return { kind: 'sequence', fasta: input, predictors, unknownPredictors: [] };
    }
    case 'alignment':
      return { kind: 'alignment', fasta: input };
    case 'shifts': {
      const { modelClass, originalNumbering } = options;
      const format = detectFormat(input);
      return { kind: 'shifts', text: input, format, modelClass, originalNumbering };
    }
  }
}
