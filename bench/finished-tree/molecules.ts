/** Finished molecules: the recorded results of acpype for their own SMILES, repeated. */
import { loadIndex, readRecording } from '../../packages/local-services/src/engines/recorded.ts';
import type { MoleculeOptions } from '../../src/kinds/vocabulary.ts';
import { readNativeFiles } from '../../src/kinds/molecule/files.ts';
import { JOB_LOG } from '../../src/store/layout.ts';
import { type FinishedFile, finishedItem, type Maker } from './finished.ts';

interface RecordedJob {
  readonly title: string;
  readonly log: string;
  readonly results: Readonly<Record<string, string>>;
}

interface Molecule {
  readonly smiles: string;
  readonly title: string;
  readonly options: MoleculeOptions;
  readonly log: string;
  /** The JSON of the file set, which does not change. */
  readonly results: string;
  readonly files: readonly FinishedFile[];
}

/** By the name of the recording: complete, but not what was asked for. */
const WRONG = /two_parts|wrong_charge|silane/;

function molecules(): readonly Molecule[] {
  return loadIndex().recordings.flatMap((recording) => {
    const { job = '' } = recording.files;
    if (!job.startsWith('acpype/smi-') || recording.failure !== undefined || WRONG.test(job))
      return [];
    const { title, log, results } = JSON.parse(readRecording(job).toString()) as RecordedJob;
    const options = optionsOf(recording.options);
    const native = readNativeFiles({ results: [results] }, options);
    if (!native.ok) return [];
    const files = native.files.map(({ fileName, text }) => [fileName, text] as const);
    const set = JSON.stringify([results]);
    return [{ smiles: recording.what, title, options, log, results: set, files }];
  });
}

function optionsOf(text: string): MoleculeOptions {
  const [chargeMethod, charge, atomType] = text.split('/') as [
    MoleculeOptions['chargeMethod'],
    string,
    MoleculeOptions['atomType'],
  ];
  const netCharge = charge === 'auto' ? null : Number(charge);
  return { kind: 'molecule', chargeMethod, netCharge, atomType };
}

export function moleculeMaker(): Maker {
  const known = molecules();
  return (n) => {
    const molecule = known[n % known.length];
    if (!molecule) throw new Error('There are no recorded molecules.');
    const { smiles, options, log } = molecule;
    const title =
      n < known.length ? molecule.title : `${molecule.title} (${1 + Math.floor(n / known.length)})`;
    const { chargeMethod: charge_method, atomType: atom_type, netCharge } = options;
    const row = {
      smiles,
      charge_method,
      atom_type,
      net_charge: netCharge === null ? '' : String(netCharge),
    };
    const input = { name: 'input.smi', text: `${smiles}\n` };
    return {
      item: finishedItem('molecule', n, { input, options, title, row }),
      runSeconds: 2 + (n % 20),
      files: (job) => [
        ['record.json', record(n, job, molecule)],
        ...molecule.files,
        [JOB_LOG, log],
      ],
    };
  };
}

/** Contract of the molecule service, 2.4; the token is removed on the way, as always. */
function record(
  n: number,
  { remoteId, queuedAt }: { readonly remoteId: string; readonly queuedAt: string },
  { log, results }: Molecule,
): string {
  const request = {
    id: n + 1,
    hash_id: remoteId,
    public: false,
    status: 200,
    request_text: 'Your request has been processed.',
    location: `/api/${remoteId}/`,
  };
  const head = JSON.stringify({
    id: n + 1,
    creation_date: queuedAt,
    token: '[token]',
    hash_id: remoteId,
    log,
    views: 0,
    result_request: request,
  });
  return `${head.slice(0, -1)},"results":${results}}`;
}
