/** What the earlier variant of the prediction service does differently (contract 9); the rest is the same. */
import type { Clock } from '../clock.ts';
import type { Job, JobInput } from '../job.ts';
import { parseFasta } from '../fasta.ts';
import { Refusal } from '../refusal.ts';
import type { Form } from './form.ts';

/** 9.4: multipart only, the file in `nef_file` or `nrm_star_file`. */
export function readEarlierShifts(form: Form): string {
  if (!form.multipart) throw new Refusal(400, 'The body must be multipart/form-data.');
  const files = ['nef_file', 'nrm_star_file'].flatMap((field) => form.files.get(field) ?? []);
  const [file] = files;
  if (file === undefined || file.trim() === '') {
    throw new Refusal(400, 'nef_file or nrm_star_file is required.');
  }
  if (files.length > 1) throw new Refusal(400, 'Give nef_file or nrm_star_file, not both.');
  return file;
}

/** 9.5: the wrapper around a finished result. The prediction stands in it byte by byte. */
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

/** The residues of a single record; FASTA text where there are several; the text of the file for shifts. */
function sequenceOf(input: JobInput): string {
  if (input.job.kind !== 'sequence') return input.original;
  const { records } = parseFasta(input.job.fasta);
  const [only] = records;
  return only !== undefined && records.length === 1 ? only.residues : input.original;
}
