/**
 * A prediction service in virtual time, in place of the activities: nine hours cannot be simulated over HTTP. It counts
 * stamps, refuses the excess, and finishes each job after the same time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { Context } from '@temporalio/activity';
import { launchItem } from '../../src/activities/launch-item.ts';
import { cancelRunning } from '../../src/activities/open-items.ts';
import { growing, notYet } from '../../src/activities/retry.ts';
import { itemDoneSignal } from '../../src/workflows/messages.ts';
import { campaignWorkflowId } from '../../src/workflows/names.ts';
import type { Activities, ItemOfPage } from '../../src/workflows/activity-types.ts';
import type { ItemEnd } from '../../src/domain/campaign.ts';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ServiceModel } from '../budget/service-model.ts';

export interface VirtualService {
  readonly activities: Activities;
  /** When each job was accepted, in ms of virtual time, by item. */
  readonly stamps: ReadonlyMap<string, number>;
  /** How each item ended. */
  readonly ends: ReadonlyMap<string, string>;
  /** Submissions that had to be refused, and items that were submitted again. */
  readonly refused: readonly string[];
  readonly repeated: readonly string[];
}

interface Options {
  readonly environment: TestWorkflowEnvironment;
  readonly limit: number;
  readonly windowMs: number;
  readonly jobMs: number;
  /** The items of a campaign, page by page. */
  readonly pageOf: (campaign: string, page: number) => ItemOfPage[];
}

export function virtualService(options: Options): VirtualService {
  const { environment, jobMs, pageOf } = options;
  const model = new ServiceModel(options.limit, options.windowMs);
  const stamps = new Map<string, number>();
  const ends = new Map<string, string>();
  const refused: string[] = [];
  const repeated: string[] = [];
  const now = () => environment.currentTimeMs();

  const concluded = async <E extends ItemEnd>(
    item: { readonly id: string; readonly campaign: string },
    end: E,
  ): Promise<E> => {
    ends.set(item.id, end.state);
    const campaign = environment.client.workflow.getHandle(campaignWorkflowId(item.campaign));
    await campaign.signal(itemDoneSignal, [{ id: item.id, ...end }]);
    return end;
  };

  const activities: Activities = {
    notify: () => Promise.resolve(),
    notifyRefusal: () => Promise.resolve(),
    keepFailed: () => Promise.resolve({ files: [], problem: null, timing: null }),
    giveUp: () => Promise.resolve(),
    readClock: async () => ({
      at: await now(),
      run: Context.current().info.workflowExecution?.runId ?? '',
    }),
    readFormer: () => Promise.resolve(null),
    readSteadyClock: async () => ({ clock: 'virtual', ended: await now() }),
    countUnfinished: () => Promise.resolve(0),
    async submit({ job, notBefore }) {
      // Time is not skipped while an activity runs: it passes as in reality.
      for (let at = await now(); at < notBefore; at = await now()) await delay(notBefore - at);
      const at = await now();
      if (stamps.has(job.id)) repeated.push(job.id);
      if (!model.hasRoomAt(at)) {
        refused.push(job.id);
        const message = 'too many jobs in the window';
        const retryAfterMs = model.roomAt(at) - at;
        return { type: 'notNow', reason: 'rate-limited', retryAfterMs, message, rateLimit: null };
      }
      model.accept(at, true);
      stamps.set(job.id, at);
      const rateLimit = {
        limit: options.limit,
        remaining: model.remainingAt(at),
        resetAfterSeconds: null,
      };
      return { type: 'accepted', remoteId: `job-${job.id}`, rateLimit };
    },
    async poll({ item }) {
      const leftMs = (stamps.get(item.id) ?? 0) + jobMs - (await now());
      if (leftMs > 0) throw notYet('running', leftMs);
      return { type: 'finished', artefacts: ['result'] };
    },
    conclude: ({ item, end }) => concluded(item, end),
    async finishJob(job) {
      await activities.poll(job, { deadlineMs: 0, whenUnsure: 'hold' });
      const end = { state: 'succeeded', code: null, message: null } as const;
      return { type: 'ended', end: await concluded(job.item, end), files: [], timing: null };
    },
    loadPage: async (store, _reference, page) => pageOf(store, page),
    fetchArtefact: async () => ({ files: [], problem: null, timing: null }),
    whereabouts: async () => ({ ended: [], unstarted: [] }),
    cancelRunning: (...args) => cancelRunning({ temporal: environment.client }, ...args),
    launchItem: (...args) => {
      const { taskQueue } = Context.current().info;
      const { client: temporal, nativeConnection: connection } = environment;
      const starter = new Client({ connection });
      return launchItem({ temporal, starter, taskQueue }, ...args);
    },
    publish: async () => ({ ended: NONE, open: 0 }),
    ensureBudget: async () => undefined,
    find: async () => {
      throw notYet('nothing is ever unsure here', growing(Context.current().info.attempt));
    },
  };
  return { activities, stamps, ends, refused, repeated };
}

const NONE = { succeeded: 0, failed: 0, held: 0, cancelled: 0, invalid: 0 };
