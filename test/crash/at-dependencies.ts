/** The dependencies of activities, wrapped so that the fuse is notified of every arrival at a `DependencyPoint`. */
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import type { Dependencies, KnownService } from '../../src/activities/dependencies.ts';
import { EndReporter } from '../../src/activities/end-reporter.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { CHECKSUMS, ITEMS_TABLE, ITEM_RECORD, PAGES } from '../../src/store/layout.ts';
import type { Store, StoreData } from '../../src/store/store.ts';
import { over } from './delegates.ts';
import type { Fuse } from './points.ts';

export function wiredDependencies(real: Dependencies, fuse: Fuse): Dependencies {
  const interceptors = { workflow: [temporalCalls(fuse)] };
  const wired = ({ connection, options: { namespace } }: Client): Client =>
    new Client({ connection, namespace, interceptors });
  const temporal = wired(real.temporal);
  const openStore: Dependencies['openStore'] = async (address, opening) =>
    wiredStore(await real.openStore(address, opening), fuse);
  return {
    ...real,
    serviceOf: (reference) => {
      const known = real.serviceOf(reference);
      return known && { ...known, client: wiredClient(known, fuse) };
    },
    openStore,
    // In this thread, where the fuse is.
    publishCampaign: async (folder, end, options) =>
      publishCampaign(await openStore(folder), end, options),
    temporal,
    starter: wired(real.starter),
    ends: new EndReporter(temporal),
  };
}

function wiredClient({ client: real }: KnownService, fuse: Fuse): ServiceClient {
  return over<ServiceClient>(real, {
    async submit(job, options) {
      fuse.at('submit: before the POST');
      const outcome = await real.submit(job, options);
      if (outcome.type === 'accepted') fuse.at('submit: accepted, not reported');
      return outcome;
    },
    find(kind, name, options) {
      const answer = real.find(kind, name, options);
      soon(() => fuse.at('find: asked, not answered'));
      return answer;
    },
    poll(remoteId, options) {
      const answer = real.poll(remoteId, options);
      soon(() => fuse.at('poll: asked, not answered'));
      return answer;
    },
    async fetch(remoteId, artefact, options) {
      const outcome = await real.fetch(remoteId, artefact, options);
      if (outcome.type !== 'found') return outcome;
      return { ...outcome, body: inHalves(outcome.body, fuse) };
    },
  });
}

/** Once the request has left this process; its answer takes longer. */
function soon(then: () => void): void {
  setImmediate(then);
}

async function* inHalves(body: AsyncIterable<Uint8Array>, fuse: Fuse): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    const half = Math.ceil(bytes.byteLength / 2);
    // The rest is only requested when the first half has been written.
    yield bytes.subarray(0, half);
    fuse.at('fetch: half of the stream');
    yield bytes.subarray(half);
  }
}

function wiredStore(real: Store, fuse: Fuse): Store {
  return over<Store>(real, {
    async write(key, data, options) {
      const record = typeof data === 'string' && key.endsWith(`/${ITEM_RECORD}`) ? data : '';
      const ended = record.includes('"finished_at": "');
      const running = record.includes('"state": "running"');
      if (running) fuse.at('poll: before the acceptance is noted');
      const delivered = ended && record.includes('"type": "duplicate"');
      if (delivered) fuse.at('deliver: files there, no end in item.json');
      else if (ended) fuse.at('conclude: files there, no end in item.json');
      if (key === ITEMS_TABLE) fuse.at('publish: before the tables');
      if (key === CHECKSUMS) fuse.at('publish: tables there, no SHA256SUMS');
      const isFetched = typeof data !== 'string' && key !== ITEMS_TABLE && key !== CHECKSUMS;
      const told = isFetched ? toTheEnd(data, fuse) : data;
      const stored = await real.write(key, told, options);
      if (isFetched) fuse.at('fetch: file there, not reported');
      if (delivered) fuse.at('deliver: end in item.json, nothing published');
      else if (ended) fuse.at('conclude: end in item.json, campaign not told');
      if (key === CHECKSUMS) fuse.at('publish: SHA256SUMS there, not reported');
      return stored;
    },
    async readText(key) {
      if (key.startsWith(PAGES)) fuse.at('campaign: page asked for, not read');
      return real.readText(key);
    },
  });
}

async function* toTheEnd(data: Exclude<StoreData, string>, fuse: Fuse): AsyncGenerator<Uint8Array> {
  if (data instanceof Uint8Array) yield data;
  else yield* data;
  fuse.at('fetch: temporary file filled, not renamed');
}

/** What activities send to the Temporal server themselves. */
function temporalCalls(fuse: Fuse): WorkflowClientInterceptor {
  return {
    async signal(input, next) {
      await next(input);
      if (input.signalName === 'itemDone') fuse.at('conclude: campaign told, not reported');
    },
    async startWithDetails(input, next) {
      const [before, after] =
        input.workflowType === 'budget'
          ? ([
              'ensureBudget: before the budget is started',
              'ensureBudget: budget started, not reported',
            ] as const)
          : (['submit: accepted, item not begun', 'submit: item begun, not reported'] as const);
      fuse.at(before);
      const started = await next(input);
      fuse.at(after);
      return started;
    },
  };
}
