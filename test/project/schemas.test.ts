/** The JSON Schemas for editors agree with the program: they are generated from it. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { SCHEMAS, schemaFiles } from '../../scripts/schemas.ts';

const files = await schemaFiles();

test('schemas/ matches the types of the program (to update: node scripts/schemas.ts)', () => {
  const committed = readdirSync(SCHEMAS).map((name) => [
    name,
    readFileSync(join(SCHEMAS, name), 'utf8'),
  ]);
  expect(Object.fromEntries(committed)).toEqual(files);
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly [key: string]: unknown;
}

/** Path → description of every property, at any depth. */
function propertiesOf(node: unknown, path = ''): [string, Node][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]): [string, Node][] => {
    if (key === 'default' || key === 'examples' || key === 'oneOf') return [];
    if (key !== 'properties') return propertiesOf(child, path);
    return Object.entries(child as Record<string, Node>).flatMap(([name, property]) => [
      [`${path}/${name}`, property] as [string, Node],
      ...propertiesOf(property, `${path}/${name}`),
    ]);
  });
}

describe.each(Object.entries(files))('%s', (_, text) => {
  const schema = JSON.parse(text) as Node;
  const properties = propertiesOf(schema);

  test('is a draft-07 schema in which every property has a description', () => {
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
    const undescribed = properties.filter(([, { description }]) => !description);
    expect(properties.length).toBeGreaterThan(10);
    expect(undescribed.map(([path]) => path)).toEqual([]);
  });

  test('contains examples and defaults that are valid themselves', () => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    const definitions = schema['definitions'] ?? {};
    const examples = properties.flatMap(([path, property]) => {
      const values = (property['examples'] ?? []) as unknown[];
      const all = 'default' in property ? [...values, property['default']] : values;
      return all.map((value) => ({ path, property, value }));
    });
    expect(examples.length).toBeGreaterThan(10);
    const refused = examples.filter(
      ({ property, value }) => !ajv.compile({ ...property, definitions })(value),
    );
    expect(refused.map(({ path, value }) => ({ path, value }))).toEqual([]);
  });
});
