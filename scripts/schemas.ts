/**
 * `node scripts/schemas.ts`: writes the JSON Schema of the configuration from the type of the program. A test fails as long
 * as they differ.
 *
 * Draft 7, because that is the newest that the YAML language server knows, and VS Code knows in full.
 *
 * `init` puts the schema beside the configuration: that works without a network and without npm, and the schema is
 * that of the version which wrote it. Rejected: an address on the web, and a path into
 * `node_modules`, which a folder of tables does not have.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

export const SCHEMAS = join(import.meta.dirname, '..', 'schemas');

/** Name below schemas/ → content. */
export async function schemaFiles(): Promise<Record<string, string>> {
  return {
    'config.schema.json': await written(nullable(asJsonSchema(configSchema))),
  };
}

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
  for (const [name, content] of Object.entries(await schemaFiles()))
    writeFileSync(join(SCHEMAS, name), content);
