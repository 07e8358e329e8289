/**
 * `node bench/report.ts`: tables and report of 10,000 items, 2,500 of each kind, and the report in headless Chromium.
 * `-- --each N` for another number, `-- --tree DIR` for an existing tree of bench/finished-tree.ts.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { launchBrowser } from '../test/browser.ts';
import { writeFinishedTree } from './finished-tree.ts';

const MEASURED = fileURLToPath(new URL('publish-measured.ts', import.meta.url));

interface Published {
  readonly items: number;
  readonly seconds: number;
  readonly wholeSeconds: number;
  readonly peakMegabytes: number;
}

interface Seen {
  /** From the request of the page, in ms. */
  readonly tableMs: number;
  readonly searchMs: number;
  readonly sortMs: number;
}

async function publish(folder: string): Promise<Published> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURED, folder]);
  return JSON.parse(stdout) as Published;
}

/** Runs in the page: until the frame after the change is drawn. */
const DRAWN = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))';

/** The median of five: the first includes the compilation. */
async function middle(measure: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let times = 0; times < 5; times += 1) all.push(await measure());
  return all.sort((a, b) => a - b)[2] ?? NaN;
}

async function see(folder: string): Promise<Seen> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(`
      new MutationObserver((_, observer) => {
        if (document.querySelector('.cards tbody tr') === null) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => { window.tableAt = performance.now(); }));
      }).observe(document, { childList: true, subtree: true });`);
    const address = pathToFileURL(join(folder, 'report.html')).href;
    const tableMs = await middle(async () => {
      await page.goto('about:blank');
      await page.goto(address);
      await page.waitForFunction('window.tableAt !== undefined');
      return page.evaluate<number>('window.tableAt');
    });
    const words = ['failed', 'molecule 12', 'succeeded alignment', 'sqm', '7'];
    const searchMs = await middle(() =>
      page.evaluate<number>(`(async () => {
        const input = document.querySelector('input[type=search]');
        const from = performance.now();
        input.value = ${JSON.stringify(words.pop() ?? '')};
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await ${DRAWN};
        return performance.now() - from;
      })()`),
    );
    await page.getByRole('searchbox').fill('');
    let column = 0;
    const sortMs = await middle(() =>
      page.evaluate<number>(`(async () => {
        const from = performance.now();
        document.querySelectorAll('.cards th button')[${column++ % 4}].click();
        await ${DRAWN};
        return performance.now() - from;
      })()`),
    );
    return { tableMs, searchMs, sortMs };
  } finally {
    await browser.close();
  }
}

const { values } = parseArgs({
  options: { each: { type: 'string', default: '2500' }, tree: { type: 'string' } },
});
const folder = values.tree ?? (await mkdtemp(join(tmpdir(), 'hundredfold-bench-')));
try {
  if (values.tree === undefined) await writeFinishedTree(folder, Number(values.each));
  const published = await publish(folder);
  const { size } = await stat(join(folder, 'report.html'));
  const seen = await see(folder);
  const [machine] = cpus();
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${machine?.model.trim()}, Node ${process.version}; ` +
      `${published.items} items, published with audit and checksums in ${published.wholeSeconds.toFixed(1)} s\n`,
  );
  for (const [what, measured, wanted, unit] of [
    ['tables and report', published.seconds, 20, 's'],
    ['peak memory', published.peakMegabytes, 600, 'MB'],
    ['report.html', size / 1e6, 25, 'MB'],
    ['first table visible', seen.tableMs, 1_000, 'ms'],
    ['search, until drawn', seen.searchMs, 100, 'ms'],
    ['sort, until drawn', seen.sortMs, 100, 'ms'],
  ] as const)
    console.log(`${what}: ${measured.toFixed(1)} ${unit} (target ${wanted} ${unit})`);
} finally {
  if (values.tree === undefined) await rm(folder, { recursive: true, force: true });
}
