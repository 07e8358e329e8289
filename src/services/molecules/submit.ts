/** Submits to the molecule service (contract 2.1, 4.1, 4.2). */
import type { SubmitOutcome } from '../../domain/outcomes.ts';
import type { Job, SubmitOptions } from '../client.ts';
import { NO_JOB, ping } from '../ping.ts';
import { readSubmission, settled } from '../submission.ts';
import { below } from '../target.ts';
import type { MoleculesAccess } from './access.ts';
import { readHashId } from './schemas.ts';

/** Contract 2.1: all eight keys are always present. */
interface SubmissionRequest {
  readonly inputFile: string | null;
  readonly file_name: string;
  readonly token: string;
  readonly charge_method: string;
  readonly net_charge: string | null;
  readonly atom_type: string;
  readonly email: string | null;
  readonly smiles: string | null;
  /**
   * A ninth key, sent only if true: the flag is in section 1.6 but not among the eight keys of 2.1, so a service may
   * refuse it.
   */
  readonly public?: true;
}

export async function submit(
  access: MoleculesAccess,
  job: Job,
  { signal, permission, beforeSending, mayBegin }: SubmitOptions,
): Promise<SubmitOutcome> {
  const body = JSON.stringify(submissionRequest(job, access));
  const answer = await access.http.send({
    method: 'POST',
    url: below(access.base, 'api'),
    body: { contentType: 'application/json', bytes: new TextEncoder().encode(body) },
    signal,
    permission,
    beforeSending,
    mayBegin,
  });
  const outcome = await readSubmission(answer, { remoteId: readHashId });
  return settled(outcome, () => ping(access.http, noJob(access), { signal }));
}

/** The status of a job that does not exist. */
export function noJob({ base }: Pick<MoleculesAccess, 'base'>): URL {
  return below(base, 'api', 'queue', NO_JOB, '');
}

function submissionRequest(
  job: Job,
  { token, public: isPublic }: Pick<MoleculesAccess, 'token' | 'public'>,
): SubmissionRequest {
  const { options, input } = job;
  if (options.kind !== 'molecule') {
    throw new TypeError(`the molecule service takes no ${options.kind}`);
  }
  const isSmiles = input.name.endsWith('.smi');
  const extension = isSmiles ? '' : (/\.\w+$/.exec(input.name)?.[0] ?? '');
  return {
    inputFile: isSmiles ? null : input.text,
    file_name: `${moleculeName(job.title ?? '', job.name)}${extension}`,
    token,
    charge_method: options.chargeMethod,
    net_charge: options.netCharge === null ? null : String(options.netCharge),
    atom_type: options.atomType,
    email: job.email,
    // A .smi line may contain a name after the SMILES.
    smiles: isSmiles ? (/\S+/.exec(input.text)?.[0] ?? '') : null,
    ...(isPublic && { public: true as const }),
  };
}

/** Maximum characters of a molecule name: it begins the name of every file and is used in fixed-width columns. */
const NAME_LIMIT = 60;

/**
 * The name that ACPYPE gives to the molecule and to all its files. It takes it from `file_name` and puts it on the
 * command lines of its tools, so blanks, quotes and accents break it.
 */
export function moleculeName(title: string, fallback: string): string {
  for (const text of [title, fallback]) {
    const name = text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^[_-]+/, '')
      .slice(0, NAME_LIMIT)
      .replace(/[_-]+$/, '');
    if (name !== '') return name;
  }
  return 'molecule';
}
