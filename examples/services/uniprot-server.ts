/** A fake of the service of uniprot.ts: `node uniprot-server.ts [PORT]`. */
import { argv } from 'node:process';
import { FakeServer, sendJson, type Faults } from './server.ts';

const PATH = /^\/idmapping\/(status|results)\/([0-9a-f]{40})$/;

export function fakeUniProt(faults: Faults = {}): FakeServer {
  const server = new FakeServer(
    faults,
    '/idmapping/run',
    (jobId, response) => sendJson(response, 200, { jobId }),
    (path, query, response) => {
      const [, what, id = ''] = PATH.exec(path) ?? [];
      const body = server.bodyOf(id);
      if (body === undefined) sendJson(response, 404, { messages: ['Resource not found'] });
      else if (!server.isDone(id)) sendJson(response, 200, { jobStatus: 'RUNNING' });
      else if (what === 'status')
        response.writeHead(303, { Location: `/idmapping/results/${id}` }).end();
      else {
        const ids = new URLSearchParams(body).get('ids')?.split(',') ?? [];
        const [size, from] = [Number(query.get('size') ?? 25), Number(query.get('cursor') ?? 0)];
        const next = from + size < ids.length ? `${path}?size=${size}&cursor=${from + size}` : null;
        if (next !== null) response.setHeader('Link', `<${next}>; rel="next"`);
        const page = ids.slice(from, from + size);
        // What begins with NO has no target.
        const mapped = page.filter((one) => !one.startsWith('NO'));
        sendJson(response, 200, {
          results: mapped.map((one) => ({ from: one, to: { primaryAccession: `X${one}` } })),
          failedIds: page.filter((one) => one.startsWith('NO')),
        });
      }
    },
  );
  return server;
}

if (argv[1] === import.meta.filename) {
  const faults = { loseEvery: 7, busyEvery: 9, maxOpen: 5, runsMs: 1_000 };
  const url = await fakeUniProt(faults).listen(Number(argv[2] ?? 8085));
  console.log(`fake UniProt at ${url}`);
}
