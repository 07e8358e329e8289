/**
 * `node bench/hostile-answers.ts [--endless] [--artefact csv] [--downloads 8] [--bytes 3000000000]`: the memory of a
 * process that downloads while a service sends far too much. The server is a separate process.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Dependencies } from '../src/activities/dependencies.ts';
import { fetchArtefact } from '../src/activities/fetch.ts';
import type { ArtefactName } from '../src/domain/outcomes.ts';
import { createClient } from '../src/services/registry.ts';
import { openFileStore } from '../src/store/filesystem.ts';
import { waitingRecord } from '../src/store/item-record.ts';
import { writeItem } from '../src/store/item-store.ts';
import type { FetchResult } from '../src/workflows/activity-types.ts';

const { values } = parseArgs({
  options: {
    endless: { type: 'boolean', default: false },
    artefact: { type: 'string', default: 'result' },
    downloads: { type: 'string', default: '1' },
    bytes: { type: 'string', default: '3000000000' },
    url: { type: 'string' },
  },
});

/** Sends blanks; the child downloads them. */
function serve(): void {
  const piece = Buffer.alloc(256 * 1024, ' ');
  const server = createServer((_, response) => {
    let left = Number(values.bytes);
    const length = values.endless ? {} : { 'content-length': String(left) };
    response.writeHead(200, { 'content-type': 'application/json', ...length });
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        const part = piece.subarray(0, left);
        left -= part.length;
        if (!response.write(part)) return;
      }
      response.end();
    };
    response.on('drain', send);
    send();
  });
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [...process.argv.slice(1), '--url', url];
    spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', () => process.exit());
  });
}

const INPUT = { name: 'input.fasta', text: '>one\nMKTLLLTLVVVTIVCLDLGY\n' };
const OPTIONS = { kind: 'sequence', predictors: ['dynamine'] } as const;
const ABOUT = { canonical: '', email: null, title: null, row: {}, user: {} };

async function download(url: string, folder: string): Promise<readonly string[]> {
  const client = createClient({ service: 'predictions', url, token: 'tok-9f3a7c' });
  const store = await openFileStore(folder);
  const parts = {
    serviceOf: () => ({ client }),
    openStore: openFileStore,
    jobTimes: { note() {} },
  };
  const one = async (n: number): Promise<string> => {
    const [kind, id] = ['sequence' as const, `i${n}`];
    const source = { file: 'x.csv', line: 2 };
    await writeItem(
      store,
      waitingRecord({ id, kind, options: OPTIONS, input: INPUT, source, ...ABOUT }),
    );
    await store.write(`sequences/${id}/${INPUT.name}`, INPUT.text);
    const item = { campaign: 'c', store: folder, id, kind, generation: 0 };
    const reference = { service: 'predictions', address: 'a', credential: 'c' } as const;
    const got = await new MockActivityEnvironment({ scheduledTimestampMs: Date.now() }).run(() =>
      fetchArtefact(
        parts as unknown as Dependencies,
        { item, reference, remoteId: 'r' },
        values.artefact as ArtefactName,
        { deadlineMs: 86_400_000, whenUnsure: 'hold' },
      ),
    );
    return (got as FetchResult).problem?.code ?? 'no problem';
  };
  return Promise.all(Array.from({ length: Number(values.downloads) }, (_, n) => one(n)));
}

if (values.url === undefined) serve();
else {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-bench-'));
  const before = process.memoryUsage().rss;
  const ends = await download(values.url, folder);
  const peak = process.resourceUsage().maxRSS * 1024;
  const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  console.log(`${mb(before)} before, ${mb(peak)} at most: ${[...new Set(ends)].join(', ')}`);
  rmSync(folder, { recursive: true });
  process.exit(0);
}
