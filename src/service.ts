/**
 * What a plugin is made with: `import { defineKind, defineService, z } from 'hundredfold/service'`.
 *
 * A plugin describes requests and reads answers; it never sends. hundredfold sends, waits, retries, keeps the budget and
 * puts secrets where the definition says. So the functions of a plugin are synchronous and have no memory: equal arguments
 * give equal values.
 *
 * @module
 */
import { z } from 'zod';
import { parseBoundedJson } from './kinds/json.ts';
import { createError, createWarning, type Reading } from './kinds/kind.ts';
import { listKinds, isOwnKind } from './kinds/registry.ts';

export {
  definePluginKind as defineKind,
  type PluginArtefact,
  type PluginInput,
  type PluginKind,
  type PluginTable,
  definePluginService as defineService,
} from './services/plugins/define.ts';
export type { InputSource, JobFacts, Measure, TableColumn, OptionColumn } from './kinds/kind.ts';
export type {
  Answer,
  Auth,
  Body,
  FileMeaning,
  Identity,
  Job,
  Json,
  ListMeaning,
  Pace,
  PollMeaning,
  ProbeMeaning,
  Request,
  Secret,
  SubmitMeaning,
} from './services/service.ts';
/** Schemas of configuration keys and of answers. */
export { z };

/** What is sent of an input, if nothing is wrong with it. */
export interface Accepted {
  /** Its name in the item's folder: `input.ids`. */
  readonly file: string;
  readonly text: string;
  /** Inputs with equal canonical texts have equal results, and share a job; default: `text`. */
  readonly canonical?: string;
  /** Things that the user should know. */
  readonly warnings?: readonly Warning[];
}

export interface Warning {
  /** In capitals: `IDS_REPEATED`. */
  readonly code: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/** What `input.read` returns for an input that can be sent. */
export function accept({ file, text, canonical = text, warnings = [] }: Accepted): Reading {
  const findings = warnings.map(({ code, message, remedy }) =>
    createWarning(code, message, remedy),
  );
  return { input: { name: file, text }, canonical, findings };
}

/** What `input.read` returns for an input that must not be sent: its row has an error, and no job is spent. */
export function refuse(code: string, message: string, remedy: string): Reading {
  return { input: null, canonical: '', findings: [createError(code, message, remedy)] };
}

/** The JSON value of a text, within limits of size and depth; undefined if it is none. */
export function readJson(text: string): unknown {
  return parseBoundedJson(text) ?? undefined;
}

/** The kinds of hundredfold by name: their `input` can be that of a kind of yours. */
export const kinds = Object.fromEntries(
  listKinds()
    .filter(({ name }) => isOwnKind(name))
    .map((kind) => [kind.name, { input: kind.input }] as const),
);
