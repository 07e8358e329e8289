/** A fake of the service of translate.ts: `node translate-server.ts [PORT]`. */
import { argv } from 'node:process';
import { FakeServer, type Faults } from './server.ts';

export function fakeTranslate(faults: Faults = {}): FakeServer {
  const server = new FakeServer(
    faults,
    '/jobs',
    (jobId, response) => response.writeHead(201).end(jobId),
    (path, _query, response) => {
      const [, id = '', file] = /^\/jobs\/(\w+)(\/protein)?$/.exec(path) ?? [];
      const dna = server.bodyOf(id);
      if (dna === undefined) response.writeHead(404).end('no such job');
      else if (file === undefined) response.end(server.isDone(id) ? 'done' : 'queued');
      // Not the genetic code: a letter for each codon.
      else response.end(dna.replace(/.../g, (codon) => (codon === 'TAA' ? '*' : (codon[0] ?? ''))));
    },
  );
  return server;
}

if (argv[1] === import.meta.filename) {
  const url = await fakeTranslate({ loseEvery: 7, maxOpen: 5 }).listen(Number(argv[2] ?? 8086));
  console.log(`fake translation service at ${url}`);
}
