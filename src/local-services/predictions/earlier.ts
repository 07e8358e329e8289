/** The differences of the earlier variant of the prediction service (contract 9); the rest is the same. */
import type { Clock } from '../clock.ts';
import type { Job, JobInput } from '../job.ts';
import { parseFasta } from '../fasta.ts';

/** 9.5: the wrapper around a finished result. The prediction is inserted byte by byte. */
export function wrapEarlier(job: Job, input: JobInput, prediction: Buffer, clock: Clock): Buffer {
  const head = {
    status: 'success',
    predictor: input.details['predictor_type'] ?? job.requestType,
    timestamp: clock.iso(job.finishedAt ?? job.updatedAt),
  };
  const sequence = JSON.stringify(sequenceOf(input));
  return Buffer.concat([
    Buffer.from(
      `${JSON.stringify(head).slice(0, -1)},"results":{"sequence":${sequence},"prediction":`,
    ),
    prediction,
    Buffer.from('}}'),
  ]);
}

/** The residues of a single record; FASTA text for several; the text of the file for shifts. */
function sequenceOf(input: JobInput): string {
  if (input.job.kind !== 'sequence') return input.original;
  const { records } = parseFasta(input.job.fasta);
  const [only] = records;
  return only !== undefined && records.length === 1 ? only.residues : input.original;
}
