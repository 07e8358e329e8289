/** `hundredfold open NAME`: the report of a campaign, in the browser. */
import { pathToFileURL } from 'node:url';
import { codedError, EXIT, type HundredfoldError } from '../../domain/errors.ts';
import { isObjectAddress } from '../../domain/object-store.ts';
import { addressOf } from '../../store/address.ts';
import { REPORT } from '../../store/layout.ts';
import { say } from '../text/explain.ts';
import { findTree, type TreeFlags } from '../session/find-tree.ts';
import { openLink } from '../session/open-link.ts';
import { printDocument, printLine } from '../text/output.ts';

/** @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `REPORT_MISSING`, `REPORT_IN_BUCKET` */
export async function open(name: string, flags: TreeFlags): Promise<number> {
  const { folder, store } = await findTree(name, flags);
  if (!(await store.exists(REPORT))) throw noReport(name);
  const path = addressOf(folder, REPORT);
  if (isObjectAddress(path)) throw inBucket(name, path);
  const link = pathToFileURL(path).href;
  if (flags.json) printDocument({ campaign: name, report: path, url: link });
  else printLine(link);
  if (!flags.json && !(await openLink(link))) say('No browser was found. Open the link above.');
  return EXIT.ok;
}

function noReport(name: string): HundredfoldError {
  return codedError('REPORT_MISSING', { name });
}

function inBucket(name: string, path: string): HundredfoldError {
  return codedError('REPORT_IN_BUCKET', { name, path });
}
