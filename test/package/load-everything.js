/** `node load-everything.js FOLDER`: imports every compiled module of the package, so that a file that npm left out is found. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** These do something when they are loaded: the command line, and code for threads and for browsers. */
const RUN_AT_ONCE = /^(cli\/main|.*-thread)\.js$/;

const program = process.argv[2] ?? '';
const lib = join(program, 'src');
let loaded = 0;
process.removeAllListeners('warning');
for (const folder of [lib, join(program, 'packages')])
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!name.endsWith('.js') || RUN_AT_ONCE.test(name)) continue;
    await import(pathToFileURL(join(folder, name)).href);
    loaded += 1;
  }
const inLib = async (name) => import(pathToFileURL(join(lib, name)).href);
const { FAILURE_CONVERTER, loadWorkflowBundle } = await inLib('temporal/bundle.js');
await loadWorkflowBundle();
await loadWorkflowBundle(FAILURE_CONVERTER);
await import(pathToFileURL(FAILURE_CONVERTER).href);
const { readPagePieces } = await inLib('report/page/html.js');
await readPagePieces();
process.stdout.write(`${loaded} modules loaded\n`);
process.exit(0);
