/**
 * `hundredfold deposit NAME`: the files for a repository, in a folder of their own: metadata to complete, and the
 * archive.
 */
import { CITATION, DATACITE, depositTree } from '../../campaigns/deposit.ts';
import { EXIT } from '../../domain/errors.ts';
import { sizeText } from '../../domain/size-text.ts';
import { TO_COMPLETE } from '../../report/deposit/stubs.ts';
import { absoluteAddress, addressOf } from '../../store/address.ts';
import { say } from '../text/explain.ts';
import { findTreeOrFolder } from '../session/tree-or-folder.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { nowAndThen } from '../text/now-and-then.ts';
import { printDocument, printLine } from '../text/output.ts';

export interface DepositFlags extends CommonFlags {
  readonly out?: string;
  readonly zip?: boolean;
}

export async function deposit(nameOrFolder: string, flags: DepositFlags): Promise<number> {
  const tree = await findTreeOrFolder(nameOrFolder, flags);
  const { name } = tree.campaign;
  const place = absoluteAddress(flags.out ?? `./${name}-deposit`);
  const { incomplete, archive: made } = await depositTree(tree, {
    place,
    zip: flags.zip ?? false,
    onFile: nowAndThen(({ files, bytes }) => `${name}: ${files} files, ${sizeText(bytes)}`),
  });
  if (made !== null && made.kept > 0)
    say(`${name}: kept ${made.kept} files of an earlier, interrupted attempt.`);
  const files = [CITATION, DATACITE, ...(made === null ? [] : [`${name}.zip`])];
  if (flags.json) {
    const paths = { citation: addressOf(place, CITATION), datacite: addressOf(place, DATACITE) };
    const archive = made === null ? null : { path: addressOf(place, `${name}.zip`), ...made };
    printDocument({ campaign: name, ...paths, incomplete, archive });
  } else for (const file of files) printLine(addressOf(place, file));
  for (const file of incomplete) {
    say(`note: ${file} has parts marked ${TO_COMPLETE} for you to complete.`);
  }
  if (incomplete.length > 0) say('  Then run this command again to include them in the archive.');
  return EXIT.ok;
}
