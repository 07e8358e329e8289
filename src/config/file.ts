/** The configuration file: found, read as YAML, overridden by the environment, and checked against the schema. */
import { codedError } from '../domain/errors.ts';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { withEnvironment } from './environment.ts';
import { configSchema, type Config } from './schema.ts';
import type { Environment } from '../domain/environment.ts';

const DEFAULT_CONFIG_FILE = 'hundredfold.yaml';

interface ConfigFile {
  readonly config: Config;
  /** null: there is none, and only the environment applies. */
  readonly path: string | null;
  /** Folder that paths in the file are relative to. */
  readonly base: string;
}

/** Throws CONFIG_UNREADABLE, CONFIG_NOT_YAML or CONFIG_INVALID. */
export function readConfig(file: string | undefined, environment: Environment): ConfigFile {
  const path = file ?? environment['HUNDREDFOLD_CONFIG'] ?? existing(DEFAULT_CONFIG_FILE);
  const config = parse(withEnvironment(path ? readYaml(path) : {}, environment), path);
  return { config, path: path ?? null, base: path ? dirname(resolve(path)) : process.cwd() };
}

function existing(file: string): string | undefined {
  return existsSync(file) ? file : undefined;
}

function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw codedError('CONFIG_UNREADABLE', { path }, cause);
  }
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw codedError('CONFIG_NOT_YAML', { path, reason: error.message }, error);
  return document.toJS() ?? {};
}

function parse(raw: unknown, path: string | undefined): Config {
  const parsed = configSchema.safeParse(withoutNulls(raw));
  if (parsed.success) return parsed.data;
  const where = path ?? 'the HUNDREDFOLD_* environment variables';
  const problems = parsed.error.issues.map((issue) => `  ${pathOf(issue)}: ${wordsOf(issue)}`);
  throw codedError('CONFIG_INVALID', { where, problems });
}

/** A key with nothing but comments below it reads as null: treated as absent. */
function withoutNulls(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const entries = Object.entries(node).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNulls(value)]));
}

/** For a budget that has neither of its two forms, the message is clearer if both are shown. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (!/budget$/i.test(pathOf(issue))) return issue.message;
  return 'write `none`, or both keys: { limit: 100, window: 60m }';
}

function pathOf(issue: z.core.$ZodIssue): string {
  return issue.path.map(String).join('.') || '(top)';
}
