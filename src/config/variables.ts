/**
 * Environment variables in the configuration: `${NAME}` in a value, as in Compose files, and one variable for each key,
 * named after it: `HUNDREDFOLD_SERVICES_PREDICTIONS_URL` for `services.predictions.url`.
 */
import { z } from 'zod';
import type { Environment } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';

/** The values with `${NAME}` and `${NAME:-default}` filled in; `$${` stands for `${`. Throws CONFIG_INVALID. */
export function fillIn(
  node: unknown,
  environment: Environment,
  path: readonly string[] = [],
): unknown {
  if (typeof node === 'string')
    return node.includes('${') ? fillText(node, environment, path) : node;
  if (Array.isArray(node)) return node.map((one) => fillIn(one, environment, path));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, fillIn(value, environment, [...path, key])]),
  );
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

function fillText(text: string, environment: Environment, path: readonly string[]): unknown {
  const filled = text.replace(REFERENCE, (whole, name?: string, fallback?: string) => {
    if (name === undefined) return '${';
    const value = environment[name] || fallback;
    if (value !== undefined) return value;
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `${path.join('.')}: the environment variable ${name} of ${whole} is not set`,
      `Set it (export ${name}=…), or write \${${name}:-DEFAULT}.`,
    );
  });
  return readScalar(filled);
}

/** Variables are texts: what looks like a number or a truth value is one, as in YAML. */
function readScalar(text: string): unknown {
  if (/^[1-9]\d{0,14}$/.test(text.trim())) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

/** The configuration with the keys that variables override. Of a list, a variable replaces all. */
export function applyVariables(
  config: unknown,
  schema: z.ZodType,
  environment: Environment,
): unknown {
  let result = config;
  for (const path of listKeys(schema)) {
    const value = environment[nameVariable(path)];
    if (value) result = setValue(result, path, readScalar(value));
  }
  return result;
}

/** Every key that has a value, as far as keys are known: not the names of headers. */
function listKeys(schema: z.core.$ZodType): readonly (readonly string[])[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return listKeys(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(listKeys);
  if (!(schema instanceof z.ZodObject)) return [[]];
  return Object.entries(schema.shape as Record<string, z.core.$ZodType>).flatMap(([key, value]) =>
    listKeys(value).map((below) => [key, ...below]),
  );
}

/** `HUNDREDFOLD_SERVICES_PREDICTIONS_MAX_DOWNLOAD` */
function nameVariable(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`));
  return `HUNDREDFOLD_${words.join('_').replaceAll('-', '_').toUpperCase()}`;
}

function setValue(node: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  // A secret has one source: the variable replaces that in the file.
  if (key === 'env' || key === 'file') return { [key]: value };
  const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
  const object = isObject ? (node as Record<string, unknown>) : {};
  return { ...object, [key]: setValue(object[key], rest, value) };
}
