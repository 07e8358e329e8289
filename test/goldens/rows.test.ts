/**
 * What is read from manifests as users write them: the cases of `rows.jsonl` (files, and the arguments that read them).
 * The golden `rows.txt` has each item with its line, options, columns and input, and the problems in short. A changed
 * line needs a sentence in its commit.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Item } from '../../src/domain/campaign.ts';
import { brief, folderWith, readManifests } from '../manifest/manifests.ts';

interface Case {
  readonly read: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

function describeItem({ id, kind, source, options, input, ...item }: Item): string {
  const { kind: _, ...chosen } = options;
  const { title, email, user, adopts } = item;
  const rest = { ...chosen, title, email, user, adopts };
  const told = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  const [place, text] = [`${basename(source.file)}:${String(source.line)}`, input.text];
  return `  ${id} ${kind} ${place} ${JSON.stringify(Object.fromEntries(told))}\n    ${input.name} ${JSON.stringify(text)}`;
}

test('every manifest gives the items of rows.txt', async () => {
  const cases = readFileSync(join(import.meta.dirname, 'rows.jsonl'), 'utf8').trimEnd();
  const found: string[] = [];
  for (const line of cases.split('\n')) {
    const { read, files } = JSON.parse(line) as Case;
    const folder = await folderWith(files);
    const { items, problems } = await readManifests(read.map((name) => join(folder, name)));
    const told = brief(problems).map((problem) => `  ${problem.replaceAll(`${folder}/`, '')}`);
    found.push(line, ...items.map(describeItem), ...told);
  }
  await expect(`${found.join('\n')}\n`).toMatchFileSnapshot('rows.txt');
});
