/** What a plugin judges the result of an item by: the files in its folder, and its own input. */
import type { Judge } from '../kinds/kind.ts';
import { kindOf } from '../kinds/registry.ts';
import type { ItemRecord } from './item-record.ts';
import { itemKey, pageName } from './layout.ts';
import type { Store } from './store.ts';

export async function readToJudge(
  store: Store,
  { kind, id, options, adopted, input: sent }: ItemRecord,
  remoteId: string,
  files: readonly string[],
): Promise<Parameters<Judge>> {
  const read = (name: string) => store.readText(itemKey(kind, id, name));
  const texts: Record<string, string[]> = {};
  for (const [artefact, { file, isPaged = false }] of Object.entries(kindOf(kind).artefacts)) {
    const name = typeof file === 'string' ? file : file(null);
    const names = files.filter((one) => one === name || (isPaged && isPage(one, name)));
    const found = await Promise.all(names.sort().map(read));
    texts[artefact] = found.filter((text) => text !== null);
  }
  const text = adopted?.inputKnown === false ? null : await read(sent.name);
  const input = text === null ? null : { name: sent.name, text };
  return [texts, { options, input, remoteId, mayBeSynthetic: false }];
}

function isPage(file: string, name: string): boolean {
  const number = Number(/\.(\d{4})\./.exec(file)?.[1]);
  return Number.isInteger(number) && pageName(name, number) === file;
}

/** Whether the result of another job, with these files, is one of this item; true without its plugin. */
export async function isResultOf(
  store: Store,
  record: ItemRecord,
  remoteId: string,
  files: readonly string[],
): Promise<boolean> {
  const { judge } = kindOf(record.kind);
  if (judge === undefined) return true;
  const given = await readToJudge(store, record, remoteId, files);
  try {
    return !('fault' in judge(...given));
  } catch {
    return false;
  }
}
