/** Starts campaigns as `run` does, for tests without the command. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { EarlierResults } from '../src/runner/lanes.ts';
import { startOrJoin, type CampaignStart } from '../src/runner/start.ts';
import { listKindNames } from '../src/kinds/registry.ts';
import { Spool, surveyManifests, type Survey } from '../src/runner/survey.ts';
import { findServiceOfKind } from '../src/services/registry.ts';
import type { campaign } from '../src/workflows/index.ts';
import { buildCampaignWorkflowId } from '../src/workflows/names.ts';

export interface Started {
  readonly name: string;
  /** The campaign's output tree. */
  readonly folder: string;
  readonly handle: WorkflowHandle<typeof campaign>;
  readonly ids: readonly string[];
}

interface Where {
  readonly client: Client;
  readonly taskQueue: string;
  readonly role?: 'host' | 'remote';
}

/** What a test decides. `feeds`: of all services; those without a row are left out. */
type Launch = Pick<CampaignStart, 'name' | 'folder' | 'feeds' | 'policy' | 'cache' | 'notify'>;

const nothing = (): Promise<void> => Promise.resolve();

/** @throws when a row is refused */
export async function launchCampaign(
  { client, taskQueue, role = 'host' }: Where,
  manifest: string,
  launch: Launch,
): Promise<Started> {
  const { name, folder, cache } = launch;
  const spool = new Spool();
  const { survey, ids } = await surveyRows(manifest, spool);
  const used = listKindNames().filter((kind) => (survey.kinds[kind] ?? 0) > 0);
  const services = new Set(used.map((kind) => findServiceOfKind(kind).name));
  const feeds = launch.feeds.filter(({ reference }) => services.has(reference.service));
  const session = {
    client,
    taskQueue,
    role,
    ui: null,
    stateFolder: folder,
    recover: nothing,
    close: nothing,
  } as const;
  const earlier = new EarlierResults();
  const onNotice = () => undefined;
  const settings = { priority: 3, keepResults: cache !== null, earlier, engines: {}, onNotice };
  // Its rows were not compared with the tree: as if one of them was there, however the test has changed it.
  const known = { ...survey, known: 1 };
  await startOrJoin(session, { ...launch, feeds, survey: known, spool, ...settings });
  spool.remove();
  const handle = client.workflow.getHandle<typeof campaign>(buildCampaignWorkflowId(name));
  return { name, folder, handle, ids };
}

async function surveyRows(
  manifest: string,
  spool: Spool,
): Promise<{ survey: Survey; ids: string[] }> {
  const options = { tree: null, cache: null, addresses: {}, spool };
  const survey = await surveyManifests([manifest], options);
  const ids = await Array.fromAsync(spool.items(), ({ id }) => id);
  const errors = survey.problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(`the manifest is not valid: ${JSON.stringify(errors)}`);
  return { survey, ids };
}

/** Writes a manifest into a folder of its own, and returns its path. */
export async function writeManifest(folder: string, rows: readonly object[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'manifest.jsonl');
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}
