/**
 * `node scripts/pictures.ts`: makes the pictures of the README in docs/pictures: the live view of a rehearsal on a
 * terminal of 80 columns (it needs tmux), and of the demo batch the report in a browser and the output tree.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../test/browser.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PICTURES = join(ROOT, 'docs', 'pictures');
const PROGRAM = join(ROOT, 'src', 'cli', 'main.ts');
const COLUMNS = 80;
const ROWS = 23;
// eslint-disable-next-line no-control-regex -- control codes are what this is about
const COLOUR = /(\x1b\[[\d;]*m)/;
/** The share of finished rows at which the live view is taken. */
const HALF = / (4\d|5\d) %/;

const folder = mkdtempSync(join(tmpdir(), 'hundredfold-pictures-'));
// The user's ledger may have charges, or wait: what is pictured begins with none.
process.env['HUNDREDFOLD_STATE_DIR'] = join(folder, 'state');
const browser = await launchBrowser();
try {
  await pictureLiveView(browser);
  runProgram('run', join(ROOT, 'batches', 'demo'), '--services', 'local');
  await pictureReport(browser);
  await pictureTree(browser);
} finally {
  await browser.close();
  runProgram('stop');
  rmSync(folder, { recursive: true });
}

async function pictureLiveView(browser: Browser): Promise<void> {
  const rows = Array.from({ length: 40 }, (_, n) => [
    `ligand-${n},${'C'.repeat(n + 1)}O,`,
    `peptide-${n},,MKTAYIAKQRQISFVKSHFSRQ${'GAVLI'.repeat(n)}`,
  ]);
  writeFileSync(join(folder, 'night.csv'), ['id,smiles,sequence', ...rows.flat(), ''].join('\n'));
  const command = `${process.execPath} ${PROGRAM} run night.csv --services synthetic`;
  const size = ['-x', `${COLUMNS}`, '-y', `${ROWS}`];
  tmux('new-session', '-d', '-s', 'live', ...size, '-c', folder, command);
  let screen = '';
  while (!HALF.test(screen)) {
    await delay(200);
    screen = tmux('capture-pane', '-e', '-p', '-t', 'live');
  }
  // The folder of the pictures is nobody's: the README's is.
  const shown = screen.replaceAll(folder, '/home/ada').trimEnd();
  await pictureText(browser, toHtml(shown), 'live-view.png');
  while (tmux('list-sessions').includes('live')) await delay(500);
}

/** What `ls` shows of the tree and of an item of each service. */
async function pictureTree(browser: Browser): Promise<void> {
  const items = ['results/demo/molecules/aspirin', 'results/demo/alignments/globins6'];
  const args = ['-p', '-C', '-w', `${COLUMNS}`, 'results/demo', 'results/demo/tables', ...items];
  const list = execFileSync('ls', args, { cwd: folder, encoding: 'utf8', env: { LC_ALL: 'C' } });
  await pictureText(browser, list.trimEnd(), 'output-tree.png');
}

async function pictureText(browser: Browser, html: string, name: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 700, height: 480 } });
  const font = "13px/1.4 'DejaVu Sans Mono', monospace";
  const style = `margin: 0; padding: 14px; font: ${font}; background: #16181d; color: #e6e6e6`;
  await page.setContent(`<pre style="${style}">${html}</pre>`);
  await page.locator('pre').screenshot({ path: join(PICTURES, name) });
}

async function pictureReport(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 } });
  await page.goto(pathToFileURL(join(folder, 'results', 'demo', 'report.html')).href);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(PICTURES, 'report.png') });
}

function runProgram(...args: string[]): void {
  execFileSync(process.execPath, [PROGRAM, ...args], { cwd: folder, stdio: 'inherit' });
}

/** A server of its own, so that it disturbs no session of the user; it ends with its last session. */
function tmux(...args: string[]): string {
  try {
    return execFileSync('tmux', ['-L', 'pictures', ...args], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    if (args[0] === 'list-sessions') return '';
    throw error;
  }
}

/** The escape sequences that the live view uses, as HTML. */
function toHtml(text: string): string {
  const colors: Record<string, string> = {
    31: '#ff7b72',
    32: '#7ee787',
    33: '#e3b341',
    36: '#79c0ff',
  };
  let style = { bold: false, dim: false, color: '' };
  return text
    .split(COLOUR)
    .map((piece) => {
      if (!piece.startsWith('\u001B')) {
        const css = `font-weight:${style.bold ? 700 : 400};opacity:${style.dim ? 0.6 : 1};color:${style.color || 'inherit'}`;
        const html = piece.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        return `<span style="${css}">${html}</span>`;
      }
      for (const code of piece.slice(2, -1).split(';')) {
        if (code === '' || code === '0') style = { bold: false, dim: false, color: '' };
        if (code === '1') style.bold = true;
        if (code === '2') style.dim = true;
        if (code === '22') style = { ...style, bold: false, dim: false };
        if (code === '39') style.color = '';
        style.color = colors[code] ?? style.color;
      }
      return '';
    })
    .join('');
}
