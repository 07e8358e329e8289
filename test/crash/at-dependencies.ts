/** The dependencies of activities, wrapped so that the hazards are told of every arrival at a point. */
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import type { Dependencies, KnownService } from '../../src/activities/dependencies.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import { CHECKSUMS, ITEMS_TABLE, ITEM_RECORD, PAGES } from '../../src/store/layout.ts';
import type { Store, StoreData } from '../../src/store/store.ts';
import type { Hazards } from './hazards.ts';

/** An object that behaves like another one, except for the given overrides. */
function over<T extends object>(real: T, own: Partial<T>): T {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const member = Reflect.get(target, name) as unknown;
      // Private fields exist only on the real one.
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

export function wiredDependencies(real: Dependencies, hazards: Hazards): Dependencies {
  const interceptors = { workflow: [temporalCalls(hazards)] };
  const wired = ({ connection, options: { namespace } }: Client): Client =>
    new Client({ connection, namespace, interceptors });
  const openStore: Dependencies['openStore'] = async (address, opening) =>
    wiredStore(await real.openStore(address, opening), hazards);
  return {
    ...real,
    serviceOf: (reference) => {
      const known = real.serviceOf(reference);
      return known && { ...known, client: wiredClient(known, hazards) };
    },
    openStore,
    temporal: wired(real.temporal),
    starter: wired(real.starter),
  };
}

function wiredClient({ client: real }: KnownService, hazards: Hazards): ServiceClient {
  return over<ServiceClient>(real, {
    async submit(job, options) {
      hazards.at('submit: before the POST');
      const outcome = await real.submit(job, options);
      if (outcome.type === 'accepted') hazards.at('submit: accepted, not reported');
      return outcome;
    },
    find(kind, name, options) {
      const answer = real.find(kind, name, options);
      soon(() => hazards.at('find: asked, not answered'));
      return answer;
    },
    poll(remoteId, options) {
      const answer = real.poll(remoteId, options);
      soon(() => hazards.at('poll: asked, not answered'));
      return answer;
    },
    async fetch(remoteId, artefact, options) {
      const outcome = await real.fetch(remoteId, artefact, options);
      if (outcome.type !== 'found') return outcome;
      return { ...outcome, body: inHalves(outcome.body, hazards) };
    },
  });
}

/** Once the request has left this process; its answer takes longer. */
function soon(then: () => void): void {
  setImmediate(then);
}

async function* inHalves(
  body: AsyncIterable<Uint8Array>,
  hazards: Hazards,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    const half = Math.ceil(bytes.byteLength / 2);
    // The rest is only requested when the first half has been written.
    yield bytes.subarray(0, half);
    hazards.at('fetch: half of the stream');
    yield bytes.subarray(half);
  }
}

function wiredStore(real: Store, hazards: Hazards): Store {
  /** Around each write of a record or a table. */
  const written = async <T>(key: string, data: StoreData, write: () => Promise<T>): Promise<T> => {
    hazards.changes('write', key);
    const record = typeof data === 'string' && key.endsWith(`/${ITEM_RECORD}`) ? data : '';
    const ended = record.includes('"finished_at": "');
    if (record.includes('"state": "running"')) hazards.at('poll: before the acceptance is noted');
    const delivered = ended && record.includes('"type": "duplicate"');
    if (delivered) hazards.at('deliver: files there, no end in item.json');
    else if (ended) hazards.at('conclude: files there, no end in item.json');
    if (key === ITEMS_TABLE) hazards.at('publish: before the tables');
    if (key === CHECKSUMS) hazards.at('publish: tables there, no SHA256SUMS');
    const stored = await write();
    if (delivered) hazards.at('deliver: end in item.json, nothing published');
    else if (ended) hazards.at('conclude: end in item.json, campaign not told');
    if (key === CHECKSUMS) hazards.at('publish: SHA256SUMS there, not reported');
    return stored;
  };
  return over<Store>(real, {
    async write(key, data, options) {
      const isFetched = typeof data !== 'string' && key !== ITEMS_TABLE && key !== CHECKSUMS;
      const told = isFetched ? toTheEnd(data, hazards) : data;
      const stored = await written(key, data, () => real.write(key, told, options));
      if (isFetched) hazards.at('fetch: file there, not reported');
      return stored;
    },
    async replace(key, text, former) {
      return written(key, text, () => real.replace(key, text, former));
    },
    async remove(key) {
      hazards.changes('remove', key);
      return real.remove(key);
    },
    async readText(key) {
      if (key.startsWith(PAGES)) hazards.at('campaign: page asked for, not read');
      return real.readText(key);
    },
  });
}

async function* toTheEnd(
  data: Exclude<StoreData, string>,
  hazards: Hazards,
): AsyncGenerator<Uint8Array> {
  if (data instanceof Uint8Array) yield data;
  else yield* data;
  hazards.at('fetch: temporary file filled, not renamed');
}

/** What activities send to the Temporal server themselves. */
function temporalCalls(hazards: Hazards): WorkflowClientInterceptor {
  return {
    async signal(input, next) {
      await next(input);
      if (input.signalName === 'itemDone') hazards.at('conclude: campaign told, not reported');
    },
    async startWithDetails(input, next) {
      const [before, after] =
        input.workflowType === 'budget'
          ? ([
              'ensureBudget: before the budget is started',
              'ensureBudget: budget started, not reported',
            ] as const)
          : (['submit: accepted, item not begun', 'submit: item begun, not reported'] as const);
      hazards.at(before);
      const started = await next(input);
      hazards.at(after);
      return started;
    },
  };
}
