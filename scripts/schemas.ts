/**
 * `node scripts/schemas.ts`: writes what is made from the descriptions in src/config/schema.ts: the schema for editors,
 * the tables of docs/configuration.md, and the configuration that `init` writes. A test fails as long as they differ.
 *
 * Draft 7, because that is the newest that the YAML language server knows, and VS Code knows in full.
 *
 * `init` puts the schema beside the configuration: that works without a network and without npm, and the schema is
 * that of the version which wrote it. Rejected: an address on the web, and a path into
 * `node_modules`, which a folder of tables does not have.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { stringify } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

const ROOT = join(import.meta.dirname, '..');
const PAGE = 'docs/configuration.md';

/** Path in the project → content. */
export async function schemaFiles(): Promise<Readonly<Record<string, string>>> {
  const schema = nullable(asJsonSchema(configSchema));
  const sections = Object.entries(schema.properties as Keys);
  return {
    'schemas/config.schema.json': await written(schema),
    'starter/hundredfold.yaml': starterFile(sections),
    [PAGE]: pageWith(sections),
  };
}

/** A key: what describes it. */
interface Key {
  readonly description: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Keys;
}
type Keys = Readonly<Record<string, Key>>;
type Sections = readonly (readonly [string, Key])[];

/* ---- the reference page ---- */

const BEGIN = '<!-- keys: made by scripts/schemas.ts -->';
const END = '<!-- end -->';

function pageWith(sections: Sections): string {
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  const tables = sections.map(
    ([name, section]) => `### ${name}\n\n${section.description}${tableOf(name, section)}`,
  );
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${after}`;
}

function tableOf(name: string, section: Key): string {
  if (section.properties === undefined) return '';
  const keys = name === 'services' ? serviceRows(section) : rowsOf(name, section);
  const rows = keys.map(([key, value, text]) => `| \`${key}\` | ${value} | ${text} |`);
  return ['', '', '| key | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

type Row = readonly [key: string, value: string, description: string];

function rowsOf(name: string, { properties = {} }: Key): readonly Row[] {
  return Object.entries(properties).map(([key, one]) => [
    `${name}.${key}`,
    one.default === undefined ? 'none' : inCode(one.default),
    one.description,
  ]);
}

/** A key that two services have with the same meaning has one row. */
function serviceRows({ properties = {} }: Key): readonly Row[] {
  const rows = Object.entries(properties).flatMap(([name, service]) => [
    ...rowsOf(`services.${name}`, service),
  ]);
  const groups = Map.groupBy(rows, ([key, , text]) => `${key.split('.').at(-1)} ${text}`);
  return [...groups.values()].map((same) => {
    const [first] = same as [Row];
    if (same.length === 1) return first;
    const values = new Set(same.map(([, value]) => value));
    const each = same.map(([key, value]) => `${key.split('.')[1]} ${value}`).join(', ');
    return [first[0].replace(/\.\w+\./, '.….'), values.size === 1 ? first[1] : each, first[2]];
  });
}

function inCode(value: unknown): string {
  return `\`${inline(value)}\``;
}

function inline(value: unknown): string {
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return text.replace(/^\[ (.*) \]$/, '[$1]');
}

/* ---- the configuration that `init` writes ---- */

const HEAD = `# yaml-language-server: $schema=schemas/config.schema.json
# (With that line, an editor with YAML support explains every key and marks misspelt ones.)

# The configuration of hundredfold. Every key is optional. Each key is shown with its default, or with an example
# if the comment says so. To set a key, remove the "# " in front of its line and of the keys above it.
#
# There are two ways to start:
#
# 1. Try the two services of this project, on this machine. No key has to be set:
#      hundredfold run manifest.csv --services local
#
# 2. Use the real services: set the urls under "services:", put the tokens into the environment, and omit
#    "--services local":
#      export HUNDREDFOLD_MOLECULE_TOKEN=... HUNDREDFOLD_PREDICTION_TOKEN=...
#      hundredfold doctor
#      hundredfold run manifest.csv
#
# Never write a token into this file, because it is made to be shared. Name the variable or the file that holds it.
# Durations are written 500ms, 10s, 60m, 24h or 14d. \${NAME} in a value is taken from the environment.
`;

function starterFile(sections: Sections): string {
  const told = new Set<string>();
  return `${HEAD}\n${sections.map(([name, key]) => linesOf(name, key, '', told).join('\n')).join('\n\n')}\n`;
}

/** What was told once, for the same key of another service, is not told again. */
function linesOf(name: string, key: Key, indent: string, told: Set<string>): readonly string[] {
  const { description, properties, examples = [] } = key;
  const hasNoValue = Object.keys(key.default ?? {}).length === 0;
  const isSection = properties !== undefined && examples.length === 0 && hasNoValue;
  const isExample = !isSection && key.default === undefined;
  const text = plain(description) + (isExample ? ' An example.' : '');
  const comment = told.has(name + text)
    ? []
    : wrapped(text, indent === '' ? '# ' : `# ${indent}# `);
  told.add(name + text);
  if (!isSection) return [...comment, `# ${indent}${name}: ${inline(key.default ?? examples[0])}`];
  const below = Object.entries(properties).flatMap(([child, one]) =>
    linesOf(child, one, `${indent}  `, told),
  );
  return [...comment, `# ${indent}${name}:`, ...below];
}

/** Without Markdown. */
function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, 'docs/$1').replaceAll('`', '');
}

function wrapped(text: string, prefix: string): readonly string[] {
  const width = 112 - prefix.length;
  return (
    text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)`, 'g'))?.map((line) => prefix + line) ?? []
  );
}

/* ---- the schema for editors ---- */

function asJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      // zod drops them if a value is transformed; ours are in the user's notation.
      const { default: fallback, examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (fallback !== undefined) jsonSchema.default = fallback;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      // The format `uri` refuses addresses that the program accepts (`https://münchen.example`).
      if (jsonSchema.format === 'uri') {
        delete jsonSchema.format;
        jsonSchema.pattern = '^\\s*[hH][tT][tT][pP][sS]?:';
      }
    },
  });
}

/** A key of the configuration with nothing but comments below it reads as null: as if it was missing. */
function nullable(schema: JsonSchema, mayBeNull = true): JsonSchema {
  const made: JsonSchema = { ...schema };
  if (schema.properties !== undefined) {
    const required = schema.required ?? [];
    made.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, child]) => [
        key,
        nullable(child as JsonSchema, !required.includes(key)),
      ]),
    );
  }
  if (schema.anyOf !== undefined) {
    const branches = schema.anyOf.map((branch) => nullable(branch, false));
    made.anyOf = mayBeNull ? [...branches, { type: 'null' }] : branches;
  } else if (mayBeNull && schema.enum !== undefined) made.enum = [...schema.enum, null];
  if (mayBeNull && typeof schema.type === 'string')
    // JSON Schema allows a list of types, which the type of zod does not know.
    made.type = [schema.type, 'null'] as unknown as 'null';
  return made;
}

function written(schema: JsonSchema): Promise<string> {
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 100 });
}

if (import.meta.main)
  for (const [path, content] of Object.entries(await schemaFiles()))
    writeFileSync(join(ROOT, path), content);
