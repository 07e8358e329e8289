/** One download of an item, as in the activity: real HTTP, a real folder, the clock of a mock environment. */
import { readdir } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { onTestFinished } from 'vitest';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { fetchArtefact } from '../../src/activities/fetch.ts';
import { FilesSeen } from '../../src/activities/files-seen.ts';
import { SERVICE_OF_KIND, type Kind } from '../../src/domain/item.ts';
import { ServerClock } from '../../src/activities/server-clock.ts';
import type { ArtefactName } from '../../src/domain/outcomes.ts';
import { createClient } from '../../src/services/registry.ts';
import { OURS } from './ours.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { waitingRecord } from '../../src/store/item-record.ts';
import { writeItem } from '../../src/store/item-store.ts';
import type { FetchResult } from '../../src/workflows/activity-types.ts';
import { JOBS, TOKEN } from '../services/jobs.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

interface Downloading {
  readonly folder: string;
  /** @param badForMs for how long the result has been bad, at each attempt */
  readonly fetch: (artefact: ArtefactName, badForMs?: number) => Promise<FetchResult>;
  /** All files below the folder, temporary ones as well. */
  readonly files: () => Promise<string[]>;
}

interface Setting {
  readonly kind: Kind;
  readonly url: string;
  readonly maxDownload?: number;
  readonly deadlineMs?: number;
  readonly otherSecrets?: readonly string[];
}

export async function downloading({ kind, ...target }: Setting): Promise<Downloading> {
  const folder = await temporaryFolder();
  const service = SERVICE_OF_KIND[kind];
  const client = createClient({ service, token: TOKEN, ...target });
  onTestFinished(() => client.close());
  const { options, input } = JOBS[kind];
  const id = 'one';
  const about = { canonical: '', email: null, title: null, row: {}, user: {} };
  const source = { file: 'x.csv', line: 2 };
  const record = waitingRecord({ id, kind, options, input, source, ...about });
  const store = await openFileStore(folder);
  await writeItem(store, record);
  await store.write(`${kind}s/${id}/${input.name}`, input.text);
  const item = { campaign: 'c', store: folder, tree: '', id, kind, generation: 0 };
  const job = { item, reference: { service, address: 'a', credential: 'c' }, remoteId: 'r-1' };
  // Only what the activity uses; other parts of a worker are missing.
  const parts = {
    serviceOf: () => ({ client }),
    openStore: openFileStore,
    leases: OURS,
    serverClock: new ServerClock(),
    jobTimes: { note() {} },
    filesSeen: new FilesSeen(),
  };
  return {
    folder,
    fetch: (artefact, badForMs) => {
      const policy = { deadlineMs: 86_400_000, whenUnsure: 'hold', patienceMs: 60_000 } as const;
      const carried = { badSince: Date.now() - (badForMs ?? 0), times: 9 };
      const environment = new MockActivityEnvironment({
        scheduledTimestampMs: Date.now(),
        ...(badForMs !== undefined && { heartbeatDetails: carried }),
      });
      return environment.run(() =>
        fetchArtefact(parts as unknown as Dependencies, job, artefact, policy),
      );
    },
    files: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      return names.filter((name) => name !== 'item.json' && name !== input.name);
    },
  };
}
