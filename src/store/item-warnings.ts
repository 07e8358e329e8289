/** Warnings about an item that has succeeded. Derived from the record, so that they apply to copies too. */
import { ITEM_WARNINGS, type ItemWarningCode } from '../domain/item-warnings.ts';
import { kindOf } from '../kinds/registry.ts';
import type { ItemRecord } from './item-record.ts';
import { artefactFile, CONTENT_TYPES, setFolder, setOf } from './layout.ts';

interface ItemWarning {
  readonly code: ItemWarningCode;
  readonly message: string;
}

export function warningsOf(
  record: Pick<ItemRecord, 'files' | 'kind' | 'state'>,
): readonly ItemWarning[] {
  return [...severalSets(record), ...filesAbsent(record)];
}

function severalSets({ files }: Pick<ItemRecord, 'files'>): readonly ItemWarning[] {
  const others = [...new Set(Object.keys(files).map(setOf))].filter((set) => set !== null);
  if (others.length === 0) return [];
  const folders = others.sort((a, b) => a - b).map(setFolder);
  const message = ITEM_WARNINGS.RESULT_SEVERAL_SETS.message({ folders });
  return [{ code: 'RESULT_SEVERAL_SETS', message }];
}

function filesAbsent({
  files,
  kind,
  state,
}: Pick<ItemRecord, 'files' | 'kind' | 'state'>): readonly ItemWarning[] {
  if (state !== 'succeeded') return [];
  const { artefacts } = kindOf(kind);
  const names = Object.keys(artefacts).filter(
    (artefact) =>
      artefacts[artefact]?.presence === 'usual' &&
      !CONTENT_TYPES.some((type) => artefactFile(kind, artefact, type) in files),
  );
  if (names.length === 0) return [];
  const message = ITEM_WARNINGS.RESULT_FILES_ABSENT.message({
    names: names.map((artefact) => artefactFile(kind, artefact, null)),
  });
  return [{ code: 'RESULT_FILES_ABSENT', message }];
}
