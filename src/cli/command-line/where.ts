/** `--where state=failed`: selects items of a campaign by the properties that `items` shows. */
import { HundredfoldError } from '../../domain/errors.ts';
import { FINAL_STATES, OPEN_STATES } from '../../domain/item.ts';
import type { ItemLine } from '../../runner/index.ts';
import { listKindNames } from '../../kinds/registry.ts';

const PROPERTIES = ['state', 'kind', 'code', 'id'] as const;
type Property = (typeof PROPERTIES)[number];

/** For properties with a fixed set of values: all of them. */
const VALUES: Readonly<Partial<Record<Property, () => readonly string[]>>> = {
  state: () => [...OPEN_STATES, ...FINAL_STATES],
  // Those of plugins are known when the configuration was read.
  kind: listKindNames,
};

type Where = (line: ItemLine) => boolean;

/**
 * All conditions must match; within one condition, any of its comma-separated values.
 * @throws HundredfoldError `USAGE`
 */
export function parseWhere(conditions: readonly string[]): Where {
  const all = conditions.map(parseCondition);
  return (line) => all.every(({ property, values }) => values.includes(line[property] ?? ''));
}

function parseCondition(text: string): {
  readonly property: Property;
  readonly values: readonly string[];
} {
  const [, name = '', list = ''] = /^\s*(\w+)\s*=(.*)$/.exec(text) ?? [];
  const property = PROPERTIES.find((one) => one === name);
  const values = list
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (property === undefined || values.length === 0) {
    throw new HundredfoldError(
      'USAGE',
      `--where ${text} is not a condition`,
      'Write state=failed,held or kind=molecule or code=JOB_FAILED or id=a,b.',
    );
  }
  const known = VALUES[property]?.();
  const strange = known && values.find((value) => !known.includes(value));
  if (known && strange !== undefined) {
    throw new HundredfoldError(
      'USAGE',
      `--where ${text}: there is no ${property} ${strange}`,
      `One of ${known.join(', ')}.`,
    );
  }
  return { property, values };
}
