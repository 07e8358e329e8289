/** The form of the definitions of plugins, which may be JavaScript, and what differs from it, in words. */
import { inspect } from 'node:util';
import { z } from 'zod';
import { parseDuration } from '../../domain/units.ts';
import { OUTCOMES } from '../answers.ts';
import type { Service } from '../service.ts';

const method = z.custom((value) => typeof value === 'function', 'write a function');
const text = z.string('write a text').min(1, 'write a text');
const word = z
  .string('write a text')
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'write lower-case letters, digits and -');
const columnName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'write lower-case letters and _');
const duration = z
  .string('write a length of time such as 500ms, 10s or 60m')
  .refine((value) => /^\d+(\.\d+)?(ms|s|m|h|d)$/.test(value), {
    error: ({ input }) => {
      const plain = String(input).replace(/\s+/g, '');
      const isNear = /[a-z]$/.test(plain) && parseDuration(plain) !== null;
      return isNear ? `write '${plain}'` : 'write a length of time such as 500ms, 10s or 60m';
    },
  });
const count = z.int('write a whole number').positive('write a number above zero');
/** Functions or outcomes by status: `200`, `4xx`; or a function of the configuration. */
function checkOutcome(table: keyof typeof OUTCOMES) {
  const types: readonly string[] = OUTCOMES[table];
  const outcome = `write a function, or an outcome of the type ${types.join(', ')}`;
  return z.unknown().superRefine((value, context) => {
    if (typeof value === 'function') return;
    const refuse = (message: string, ...path: string[]) =>
      context.addIssue({ code: 'custom', message, path });
    if (typeof value !== 'object' || value === null) return refuse('write { 200: … }');
    for (const [status, meaning] of Object.entries(value)) {
      const { type = '' } = (meaning ?? {}) as { type?: string };
      if (!/^([1-5]\d\d|[2-5]xx)$/.test(status))
        refuse('write a status such as 200 or 4xx', status);
      else if (typeof meaning !== 'function' && !types.includes(type)) refuse(outcome, status);
    }
  });
}

/** Every key of a definition is here: one that is not is misspelt. */
export const serviceShape = z.strictObject({
  name: word,
  title: text,
  terms: z.string('write an address, or the name of a document'),
  kinds: z.array(z.object({ name: word }), 'write a list of kinds').min(1, 'write a kind'),
  url: z.strictObject(
    {
      default: z.url('write an address').exactOptional(),
      description: text.exactOptional(),
      example: text.exactOptional(),
    },
    "write { default: 'https://…' } or {}",
  ),
  origins: z.array(text),
  secrets: z.record(
    z.string(),
    z.strictObject(
      {
        description: text,
        env: z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'write the name of an environment variable'),
        example: text.exactOptional(),
        length: count.exactOptional(),
        maxLength: count.exactOptional(),
      },
      "write { description: '…', env: 'NAME' }",
    ),
  ),
  config: z.custom(
    (value) => value instanceof z.ZodObject || isObjectSchema(value),
    "write z.object({ … }), with the z of 'hundredfold/service'",
  ),
  variants: z.array(z.any()),
  budget: z.strictObject({
    description: text.exactOptional(),
    windows: z.array(z.strictObject({ limit: count, window: duration })),
    maxOpen: count.nullable(),
    counts: z.enum(['accepted', 'sent'], "write 'accepted' or 'sent'").exactOptional(),
    example: z.any().optional(),
  }),
  pace: z.strictObject({
    every: duration,
    atMost: duration,
    between: duration.exactOptional(),
  }),
  identity: z.discriminatedUnion(
    'by',
    [
      z.strictObject({ by: z.literal('name'), maxLength: count }),
      z.strictObject({ by: z.literal('list'), maxLength: count, settles: duration }),
      z.strictObject({ by: z.literal('request'), within: duration, header: text.exactOptional() }),
      z.strictObject({ by: z.literal('nothing') }),
    ],
    "write { by: 'name' | 'list' | 'request' | 'nothing', … }",
  ),
  software: z.any(),
  jobId: z.strictObject({
    pattern: z.instanceof(RegExp).exactOptional(),
    ignoreCase: z.boolean().exactOptional(),
  }),
  submit: z.strictObject({
    request: z.record(z.string(), method, 'write { KIND: (job) => … }'),
    answers: checkOutcome('submit'),
  }),
  poll: z.strictObject({
    request: method,
    answers: checkOutcome('poll'),
    maxBytes: count.exactOptional(),
  }),
  fetch: z.record(
    z.string(),
    z.strictObject({
      request: method,
      answers: checkOutcome('fetch').exactOptional(),
      next: method.exactOptional(),
    }),
  ),
  list: z.union([
    z.strictObject({ missing: text }),
    z.strictObject({
      request: method,
      answers: checkOutcome('list'),
      maxBytes: count.exactOptional(),
    }),
  ]),
  probe: z.strictObject({
    request: method,
    answers: checkOutcome('probe'),
    submitPath: method.exactOptional(),
  }),
} satisfies Record<keyof Service, z.ZodType>);

/** Also of a zod that is another copy of the same version. */
function isObjectSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'shape' in value && '_zod' in value;
}

const option = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('choice'), allowed: z.array(text).min(1), default: text }),
    z.object({ type: z.literal('list'), allowed: z.array(text).min(1), default: z.array(text) }),
    z.object({ type: z.literal('integer') }),
    z.object({ type: z.literal('flag'), default: z.boolean() }),
    z.object({ type: z.literal('text'), default: z.string() }),
  ],
  "write { type: 'choice' | 'list' | 'integer' | 'flag' | 'text', description, … }",
);

export const kindShape = z.strictObject({
  name: word,
  version: count.exactOptional(),
  words: z.strictObject({ one: text, many: text.exactOptional() }),
  folder: word.exactOptional(),
  input: z.strictObject({
    column: z.object({ name: columnName }).nullable().exactOptional(),
    extensions: z
      .array(z.string().regex(/^\.[a-z0-9.]+$/, "write '.txt' or the like"))
      .exactOptional(),
    recognise: method.exactOptional(),
    read: method,
    // Of a kind of ours, whose input is that of a plugin's kind too.
    records: z.unknown().optional(),
    isByExtension: z.unknown().optional(),
    repair: z.unknown().optional(),
  }),
  options: z.record(columnName, z.object({ description: text }).and(option)).exactOptional(),
  examples: z
    .array(
      z.strictObject({
        text: z.string('write a text'),
        extension: z.string().exactOptional(),
        options: z.record(z.string(), z.string()).exactOptional(),
      }),
    )
    .exactOptional(),
  artefacts: z
    .record(
      z.string(),
      z.strictObject({
        file: z
          .string('write a file name')
          .regex(/^[A-Za-z0-9][\w.-]*\.[a-z0-9.]+$/, "write a file name such as 'result.json'"),
        presence: z.enum(['required', 'usual', 'optional']).exactOptional(),
        when: z.enum(['finished', 'failed', 'ended']).exactOptional(),
        isPaged: z.literal(true).exactOptional(),
      }),
    )
    .refine((value) => Object.keys(value).length > 0, 'write at least the result itself'),
  readResult: method,
  check: method,
  measures: z.record(
    z.string().regex(/^[a-z][a-zA-Z0-9_]*$/),
    z.strictObject({
      title: text,
      of: method,
      unit: z.string('write a unit, or an empty text').exactOptional(),
      meaning: text,
      decimals: z.int('write a number of decimal places').exactOptional(),
      isMain: z.boolean('write true or false').exactOptional(),
    }),
  ),
  table: z.strictObject({ columns: z.record(z.string(), z.any()), rows: method }).exactOptional(),
  summary: method.exactOptional(),
  estimate: z.strictObject({ seconds: z.number(), bytes: z.number() }).exactOptional(),
});

/** What is wrong with a definition: thrown by `defineKind` and `defineService`, so that its line is known. */
export class DefinitionRefused extends TypeError {
  readonly faults: readonly string[];
  constructor(name: unknown, faults: readonly string[]) {
    const told = faults.map((one) => `${typeof name === 'string' ? name : 'a definition'}: ${one}`);
    super(told.join('\n'));
    this.faults = told;
  }
}

/** Throws DefinitionRefused with a sentence for each difference: `` `pace.every` is '10 s'; write '10s' ``. */
export function checkShape(shape: z.ZodType, value: { readonly name?: unknown }): void {
  const { error } = shape.safeParse(value);
  if (error === undefined) return;
  throw new DefinitionRefused(
    value.name,
    error.issues.map((issue) => describeIssue(issue, value)),
  );
}

function describeIssue(issue: z.core.$ZodIssue, value: object): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => `\`${[...(path === '' ? [] : [path]), key].join('.')}\``);
    return `${keys.join(', ')} is not known here; look for a misspelt key`;
  }
  let found: unknown = value;
  for (const key of issue.path) found = (found as Record<PropertyKey, unknown> | undefined)?.[key];
  const isPlain = issue.code === 'invalid_type' && issue.message.startsWith('Invalid input');
  const words = isPlain ? `write a value of the type ${issue.expected}` : issue.message;
  if (found === undefined) return `\`${path}\` is missing: ${words}`;
  return `\`${path}\` is ${formatValue(found)}; ${words}`;
}

function formatValue(value: unknown): string {
  return typeof value === 'function' ? 'a function' : inspect(value, { depth: 1 }).slice(0, 60);
}
