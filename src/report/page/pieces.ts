/** The pieces of the page bundled at set-up (src/report/page/build-pieces.ts). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codedError } from '../../domain/errors.ts';
import { BUILT, BUILT_FOLDER } from '../../program/files.ts';

export interface PagePieces {
  readonly app: string;
  readonly style: string;
  /** 3Dmol. */
  readonly viewer: string;
  readonly licences: string;
}

const FOLDER = join(BUILT_FOLDER, 'report-page');

/** @throws HundredfoldError `SETUP_REPORT_PAGE_MISSING` */
export async function pagePieces(): Promise<PagePieces> {
  const [app, style, viewer, licences] = await Promise.all(
    ['app.js', 'style.css', 'viewer.js', 'licences.txt'].map(piece),
  );
  return { app, style, viewer, licences } as PagePieces;
}

async function piece(name: string): Promise<string> {
  try {
    return await readFile(join(FOLDER, name), 'utf8');
  } catch (cause) {
    throw codedError(
      'SETUP_REPORT_PAGE_MISSING',
      { file: `dist/report-page/${name}`, installed: BUILT },
      cause,
    );
  }
}
