/** The single file: style, program and data in a page that may not connect to anything. */
import { createHash } from 'node:crypto';
import { ELEMENT } from '../page-data.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HundredfoldError } from '../../domain/errors.ts';
import { BUILT, BUILT_FOLDER } from '../../program.ts';

interface PageContent {
  readonly title: string;
  /** Deflated, in base64, like all that follow. */
  readonly data: string;
  /** SMILES and fingerprints of the molecules; null if there are none. */
  readonly structures: string | null;
  readonly chunks: readonly string[];
  /** The script of the 3D viewer; null without molecules. */
  readonly viewer: string | null;
  /** Whether there are more chunks next to the page. */
  readonly hasMore: boolean;
}

/** The table comes before the items' data, so that it is shown while the data are still loading. */
export function* generatePage(pieces: PagePieces, content: PageContent): Generator<string> {
  const { title, data, structures, chunks, viewer } = content;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${createPolicy(pieces, content)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeText(title)}</title>
<style>
${pieces.style}</style>
</head>
<body>
<div id="${ELEMENT.app}"><p>Reading …</p></div>
<noscript>This report needs JavaScript, which it contains. The same data is in items.csv and tables/.</noscript>
`;
  yield renderDataElement(ELEMENT.page, data);
  yield `<script>${pieces.app}</script>\n`;
  if (structures !== null) yield renderDataElement(ELEMENT.structures, structures);
  for (const [chunk, base64] of chunks.entries()) {
    yield renderDataElement(`${ELEMENT.chunk}${chunk}`, base64);
  }
  if (viewer !== null) yield renderDataElement(ELEMENT.viewer, viewer);
  // Two hyphens would end a comment.
  const licences = pieces.licences.replace(/-(?=-)/g, '- ');
  yield `<!--\nMade by hundredfold. Parts of this page are the work of others:\n\n${licences}\n-->\n</body>\n</html>\n`;
}

/**
 * Nothing may be fetched, framed, sent or loaded. Scripts are allowed by their digests; those with more data, which
 * only a large report has, by their location: next to it, on disk or on the tree's server.
 */
function createPolicy(pieces: PagePieces, { viewer, hasMore }: PageContent): string {
  const scripts = [pieces.app, ...(viewer === null ? [] : [pieces.viewer])].map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  if (hasMore) scripts.push("'self'", 'file:');
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    // Plots contain their own styles.
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** Base64 contains nothing that ends an element. */
function renderDataElement(id: string, base64: string): string {
  return `<script type="application/octet-stream" id="${id}">${base64}</script>\n`;
}

/** For texts and quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The pieces of the page bundled at set-up (scripts/build-page.ts). */
export interface PagePieces {
  readonly app: string;
  readonly style: string;
  /** 3Dmol. */
  readonly viewer: string;
  readonly licences: string;
}

const FOLDER = join(BUILT_FOLDER, 'report-page');

/** @throws HundredfoldError `PACKAGE_INCOMPLETE` */
export async function readPagePieces(): Promise<PagePieces> {
  const [app, style, viewer, licences] = await Promise.all(
    ['app.js', 'style.css', 'viewer.js', 'licences.txt'].map(readPiece),
  );
  return { app, style, viewer, licences } as PagePieces;
}

async function readPiece(name: string): Promise<string> {
  try {
    return await readFile(join(FOLDER, name), 'utf8');
  } catch (cause) {
    throw new HundredfoldError(
      'PACKAGE_INCOMPLETE',
      `the report page is not built: dist/report-page/${name} cannot be read.`,
      BUILT
        ? 'A file of the installation is missing: install hundredfold again. Then: hundredfold report NAME.'
        : 'Build it: npm run prepare. Then: hundredfold report NAME.',
      { cause },
    );
  }
}
