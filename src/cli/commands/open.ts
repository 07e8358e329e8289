/** `hundredfold open NAME`: the report of a campaign, in the browser. */
import { pathToFileURL } from 'node:url';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
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
  return new HundredfoldError({
    code: 'REPORT_MISSING',
    message: `the campaign ${name} has no report yet: it is written when the campaign ends`,
    remedy: `To follow the campaign: hundredfold watch ${name}. After its end: hundredfold report ${name}.`,
  });
}

function inBucket(name: string, path: string): HundredfoldError {
  return new HundredfoldError({
    code: 'REPORT_IN_BUCKET',
    message: `the report of ${name} is at ${path}, where a browser cannot open it`,
    remedy: `Copy it to disk first: hundredfold pull ${name}; then open its report.html.`,
  });
}
