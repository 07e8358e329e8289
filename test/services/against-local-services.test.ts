/** Both clients against the local services: the whole life of a job, in both variants. */
import { afterEach, describe, expect, test } from 'vitest';
import type { PollOutcome } from '../../src/domain/outcomes.ts';
import { startLocalServices, type LocalServices } from '../../src/local-services/server.ts';
import type { LocalServicesOptions } from '../../src/local-services/options.ts';
import { checkResult } from '../../src/services/check-result.ts';
import { isSynthetic } from '../../src/services/synthetic.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import type { Job } from '../../src/services/service.ts';
import { nativeFiles } from '../../src/services/molecules/files.ts';
import { readPayload } from '../../src/results/payload.ts';
import { createClient } from '../../src/services/registry.ts';
import { collect } from './collect.ts';
import { JOBS, quiet } from './jobs.ts';

const MOLECULE_TOKEN = 'mol0token1';
const TOKEN = 'prediction-token';
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(
  options: LocalServicesOptions = {},
): Promise<{ services: LocalServices; predictions: ServiceClient; molecules: ServiceClient }> {
  const services = await startLocalServices({
    engine: 'synthetic',
    jobMs: 250,
    retryAfterSeconds: 1,
    ...options,
  });
  const deadlineMs = 3_000;
  const variant = options.variant ?? 'current';
  const predictions = createClient({
    service: 'predictions',
    url: services.url,
    config: { variant },
    token: TOKEN,
    deadlineMs,
  });
  const molecules = createClient({
    service: 'molecules',
    url: services.moleculesUrl,
    token: MOLECULE_TOKEN,
    deadlineMs,
  });
  open.push(services, predictions, molecules);
  return { services, predictions, molecules };
}

async function accepted(client: ServiceClient, job: Job): Promise<string> {
  const outcome = await client.submit(job, quiet());
  if (outcome.type !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.remoteId;
}

/** Polls to the end; at least one answer in between says running. */
async function ended(client: ServiceClient, remoteId: string): Promise<PollOutcome> {
  for (let count = 0; count < 200; count += 1) {
    const outcome = await client.poll(remoteId, quiet());
    if (outcome.type !== 'running') return outcome;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the job does not end');
}

async function download(
  client: ServiceClient,
  id: string,
  name: ReturnType<ServiceClient['artefacts']>[number],
): Promise<Buffer> {
  const outcome = await client.fetch(id, name, quiet());
  if (outcome.type !== 'found') throw new Error(`${name}: ${JSON.stringify(outcome)}`);
  const bytes = await collect(outcome.body);
  if (outcome.contentLength !== null) expect(bytes.length).toBe(outcome.contentLength);
  return bytes;
}

const NEF = `data_nef_two

save_nef_molecular_system
   _nef_molecular_system.sf_category   nef_molecular_system
   _nef_molecular_system.sf_framecode  nef_molecular_system
   loop_
      _nef_sequence.index
      _nef_sequence.chain_code
      _nef_sequence.sequence_code
      _nef_sequence.residue_name
      1 A 1 MET
      2 A 2 GLN
   stop_
save_
`;

const JOB_OF = {
  sequence: {
    ...JOBS.sequence,
    input: {
      name: 'input.fasta',
      text: '>one two\nMKTLLLTLVVVTIVCLDLGYX\n>b\nMKTLLLTLVVVTIVCLDLGY\n',
    },
  },
  alignment: JOBS.alignment,
  shifts: { ...JOBS.shifts, input: { name: 'input.nef', text: NEF } },
} as const;

describe.each(['current', 'earlier'] as const)('predictions, %s variant', (variant) => {
  test.each(['sequence', 'alignment', 'shifts'] as const)(
    '%s: from submission to checked files',
    async (kind) => {
      const { predictions } = await start({ variant });
      const job = JOB_OF[kind];
      const remoteId = await accepted(predictions, job);
      expect((await predictions.poll(remoteId, quiet())).type).toBe('running');
      expect(await ended(predictions, remoteId)).toEqual({ type: 'finished' });
      const files = new Map<string, Buffer>();
      for (const artefact of predictions.artefacts(kind)) {
        // ShiftCrypt writes no metadata: only the first artefact must exist, the others may be absent.
        if (kind === 'shifts' && artefact === 'metadata') {
          const outcome = await predictions.fetch(remoteId, artefact, quiet());
          expect(outcome).toMatchObject({ type: 'absent', status: 404 });
        } else {
          files.set(artefact, await download(predictions, remoteId, artefact));
        }
      }
      const result = files.get('result') ?? Buffer.of();
      expect(await checkResult(job, result)).toEqual({ ok: true });
      expect(readPayload(result)).toMatchObject({ ok: true });
      expect(isSynthetic(result)).toBe(true);
      expect(files.get('history')?.toString()).toContain('FINISHED');
      expect(await predictions.find(kind, job.name, quiet())).toEqual({ type: 'found', remoteId });
      const listed = { remoteId, kind, jobName: job.name, state: 'FINISHED' };
      const list = await predictions.list(kind, quiet());
      expect(list).toMatchObject({ type: 'listed', jobs: [listed] });
      expect(list, 'also the chains of shifts').not.toHaveProperty('missing');
    },
  );

  test('an unknown predictor fails in the worker, a duplicate name is refused, an unknown id is lost', async () => {
    const { predictions } = await start({ variant });
    const predictors = ['nosuch'] as unknown as readonly ['dynamine'];
    const job: Job = { ...JOBS.sequence, options: { kind: 'sequence', predictors } };
    const remoteId = await accepted(predictions, job);
    expect(await ended(predictions, remoteId)).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('nosuch') as string,
    });
    expect(await predictions.submit(job, quiet())).toMatchObject({ type: 'refused' });
    const lost = await predictions.poll('3f1c5a1e-0000-4000-8000-000000000001', quiet());
    expect(lost.type).toBe('lost');
    expect(await predictions.find('sequence', 'another name', quiet())).toEqual({ type: 'absent' });
  });

  test('accepted, but the answer was lost: unsure, then found by its name', async () => {
    const { services, predictions } = await start({ variant });
    services.faults.add({ name: 'reset-after', endpoint: 'submit', times: 1 });
    expect((await predictions.submit(JOBS.sequence, quiet())).type).toBe('unsure');
    const found = await predictions.find('sequence', JOBS.sequence.name, quiet());
    if (found.type !== 'found') throw new Error(JSON.stringify(found));
    expect(await ended(predictions, found.remoteId)).toEqual({ type: 'finished' });
  });
});

describe('molecules', () => {
  test('from submission to native files, without the token', async () => {
    const { molecules } = await start();
    const remoteId = await accepted(molecules, JOBS.molecule);
    expect((await molecules.poll(remoteId, quiet())).type).toBe('running');
    expect(await ended(molecules, remoteId)).toEqual({ type: 'finished' });
    const record = await download(molecules, remoteId, 'record');
    expect(record.toString()).not.toContain(MOLECULE_TOKEN);
    const { options } = JOBS.molecule;
    if (options.kind !== 'molecule') throw new Error('not a molecule');
    const native = nativeFiles(JSON.parse(record.toString()), options);
    expect(native).toMatchObject({ ok: true, name: 'Ethanol' });
  });

  test('recorded: ethanol is complete and correct; an invalid SMILES fails with the reason of the engine', async () => {
    const { molecules } = await start({ engine: 'recorded' });
    const remoteId = await accepted(molecules, JOBS.molecule);
    expect(await ended(molecules, remoteId)).toEqual({ type: 'finished' });
    expect(await checkResult(JOBS.molecule, await download(molecules, remoteId, 'record'))).toEqual(
      {
        ok: true,
      },
    );
    const bad = { ...JOBS.molecule, input: { name: 'input.smi', text: 'C1CC(' } };
    expect(await ended(molecules, await accepted(molecules, bad))).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('C1CC(') as string,
    });
  });
});

describe('faults', () => {
  test('a truncated result is not accepted as complete', async () => {
    const { services, predictions, molecules } = await start();
    const remoteId = await accepted(predictions, JOBS.sequence);
    const moleculeId = await accepted(molecules, JOBS.molecule);
    await ended(predictions, remoteId);
    await ended(molecules, moleculeId);
    services.faults.set([{ name: 'truncate' }]);
    await expect(download(predictions, remoteId, 'result')).rejects.toMatchObject({
      code: 'DOWNLOAD_BROKEN',
    });
    await expect(download(molecules, moleculeId, 'record')).rejects.toMatchObject({
      code: 'DOWNLOAD_BROKEN',
    });
    expect((await molecules.poll(moleculeId, quiet())).type).toBe('unavailable');
    services.faults.clear();
    expect(
      await checkResult(JOBS.sequence, await download(predictions, remoteId, 'result')),
    ).toEqual({
      ok: true,
    });
  });
});
