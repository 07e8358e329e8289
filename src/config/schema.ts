/**
 * The configuration file, as the user writes it: docs/configuration.md describes each key. Editors read the same in
 * schemas/config.schema.json, which is made from here; what stands in `meta` is for them alone.
 */
import { z } from 'zod';
import { EXTRA_FORMATS } from '../domain/outcomes.ts';
import { parseDuration } from './duration.ts';
import { parseSize } from './size.ts';

const EDITOR_DURATION = '^(?=[^1-9]*[1-9])\\s*\\d+(?:\\.\\d+)?\\s*(?:ms|s|m|h|d)?\\s*$';

/** `60m`, `1h`, `10s`, `500ms`, or a number of ms. Becomes ms. */
const duration = z
  .union([z.number().meta({ exclusiveMinimum: 0 }), z.string().meta({ pattern: EDITOR_DURATION })])
  .transform((value, context) => {
    const parsed = parseDuration(String(value));
    if (parsed !== null) return parsed;
    context.addIssue(`not a length of time: ${String(value)} (write 60m, 1h, 10s or 500ms)`);
    return z.NEVER;
  });

/** A result is checked in memory, as one text: V8 has none that is longer. */
const LARGEST_DOWNLOAD = 512_000_000;

/** `64MB`, `1.5GB`, or a number of bytes. Becomes bytes. */
const downloadSize = z
  .union([
    z.number().meta({ exclusiveMinimum: 0, maximum: LARGEST_DOWNLOAD }),
    z.string().meta({
      pattern: '^(?=[^1-9]*[1-9])\\s*\\d+(?:\\.\\d+)?\\s*(?:(?:[kKmMgG][iI]?)?[bB])?\\s*$',
    }),
  ])
  .transform((value, context) => {
    const parsed = parseSize(String(value));
    if (parsed !== null && parsed <= LARGEST_DOWNLOAD) return parsed;
    context.addIssue(`not a size up to 512MB: ${String(value)} (write 64MB, or a number of bytes)`);
    return z.NEVER;
  });

const maxDownload = downloadSize.meta({
  description:
    'Bytes of one downloaded file at most. A longer one fails its item with RESULT_TOO_LARGE.',
  default: '64MB',
  examples: ['256MB'],
});

/** Never a literal: a token in a file that is shared or committed is a token lost. */
const secretSource = z
  .strictObject({
    env: z.string().meta({ description: 'The environment variable that holds it.' }),
  })
  .or(
    z.strictObject({
      file: z.string().meta({
        description: 'A file that holds it alone; relative to the configuration file.',
      }),
    }),
  );

/** A variable of the environment gives it as text. */
const count = z
  .int()
  .positive()
  .or(
    z
      .string()
      .regex(/^\s*0*[1-9]\d{0,14}\s*$/)
      .transform(Number),
  );

/** `none` (or nothing, where that is the default) means that the service has no limit. */
const limit = z.literal('none').or(
  z.strictObject({
    limit: count.meta({ description: 'Accepted jobs in one window.', examples: [100] }),
    window: duration.meta({
      description: 'Length of the rolling window. A bare number is milliseconds.',
      examples: ['60m', '10s'],
    }),
  }),
);

const url = z.url({ protocol: /^https?$/ });

const address = 'http or https, without user name, query and fragment';

const flag = z.boolean().or(z.enum(['true', 'false']).transform((text) => text === 'true'));

const format = z.enum(EXTRA_FORMATS);

/** A variable of the environment gives them as one text. */
const formats = z.array(format).or(
  z
    .string()
    .regex(/^\s*(json|input)(\s*,\s*(json|input))*\s*$/)
    .transform((text) => text.split(',').map((one) => format.parse(one.trim()))),
);

const molecules = z
  .strictObject({
    url: url.meta({
      description: `Where the service is (mol_base_url of its contract): ${address}.`,
      examples: ['https://molecules.example.org/acpype'],
    }),
    token: secretSource.meta({
      description: 'Where the 10-character identifier is that the service knows you by.',
      default: { env: 'HUNDREDFOLD_MOLECULE_TOKEN' },
      examples: [{ file: 'secrets/molecule-token' }],
    }),
    budget: limit.meta({
      description: 'Jobs that you may send in a rolling window; the contract states no limit.',
      default: 'none',
      examples: [{ limit: 100, window: '60m' }],
    }),
    public: flag.meta({
      description:
        'Lists your jobs, with their titles and files, on the public page of the service (section 1.6 of its contract).',
      default: false,
    }),
    maxDownload,
  })
  .partial({ token: true, budget: true, public: true, maxDownload: true })
  .meta({ description: 'The service for rows of kind molecule.' });

const predictions = z
  .strictObject({
    url: url.meta({
      description: `Where the service is (base_url of its contract; the path of the API is added): ${address}.`,
      examples: ['https://predictions.example.org'],
    }),
    token: secretSource.meta({
      description: 'Where your token of this service is.',
      default: { env: 'HUNDREDFOLD_PREDICTION_TOKEN' },
      examples: [{ file: 'secrets/prediction-token' }],
    }),
    budget: limit.meta({
      description: 'Jobs that this token may send in a rolling window.',
      default: { limit: 100, window: '60m' },
      examples: ['none'],
    }),
    variant: z.enum(['current', 'earlier']).meta({
      description: '`earlier` for a server that still speaks section 9 of the contract.',
      default: 'current',
    }),
    addressBudget: limit.meta({
      description: 'The looser limit that all tokens used from one network address share.',
      default: 'none',
      examples: [{ limit: 300, window: '60m' }],
    }),
    formats: formats.meta({
      description:
        'Download formats to fetch besides: `json` (downloaded.json) and `input` (downloaded-input.txt).',
      default: [],
      examples: [['json', 'input']],
    }),
    maxDownload,
  })
  .partial({
    ...{ token: true, budget: true, variant: true, addressBudget: true },
    ...{ formats: true, maxDownload: true },
  })
  .meta({ description: 'The service for rows of kind sequence, alignment and shifts.' });

const pem = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

const tls = z
  .strictObject({
    ca: pem('PEM file of a CA that the system does not know.', 'certs/ca.pem'),
    cert: pem('PEM file of the client; with `key`: mutual TLS.', 'certs/client.pem'),
    key: pem('PEM file of the key of `cert`.', 'certs/client.key'),
  })
  .partial();

const temporal = z
  .strictObject({
    address: z.string().meta({
      description: 'host:port of a Temporal server. Without it the embedded server is used.',
      examples: ['temporal.example.org:7233'],
    }),
    namespace: z
      .string()
      .default('default')
      .meta({
        description: 'A namespace that exists there.',
        examples: ['default'],
      }),
    taskQueue: z.string().meta({
      description: 'Commands and workers of one task queue work together.',
      default: 'hundredfold',
      examples: ['hundredfold'],
    }),
    apiKey: secretSource.meta({
      description: 'Where the API key is; turns TLS on.',
      examples: [{ env: 'TEMPORAL_API_KEY' }],
    }),
    tls: tls.meta({
      description: "TLS, with the system's certificates when nothing is named.",
      examples: [{ ca: 'certs/ca.pem' }],
    }),
  })
  .partial({ address: true, taskQueue: true, apiKey: true, tls: true })
  .meta({ description: 'A Temporal server of your own. Absent: the embedded server is used.' });

const jobs = z
  .strictObject({
    deadline: duration.meta({
      description: 'A job that takes longer is given up. A bare number is milliseconds.',
      default: '24h',
      examples: ['24h', '90m'],
    }),
    whenUnsure: z.enum(['hold', 'resubmit']).meta({
      description:
        'What becomes of a submission whose answer was lost, where the service cannot be asked about it: `hold` ends the item as held, `resubmit` sends it once more, at the risk of one job too many.',
      default: 'hold',
    }),
  })
  .partial()
  .meta({ description: 'What is done about jobs that do not end, or may have been lost.' });

/** A variable of the environment gives it as one text. */
const commandLine = z
  .array(z.string())
  .min(1)
  .or(
    z
      .string()
      .regex(/\S/)
      .transform((text) => text.trim().split(/\s+/)),
  );

const notify = z
  .strictObject({
    command: commandLine.meta({
      description:
        'A program and its arguments, without a shell; it gets the JSON summary on its standard input.',
      examples: [['notify-me', '--about', 'hundredfold']],
    }),
    url: url.or(secretSource).meta({
      description:
        'Where the JSON summary is sent by POST. An address that is itself a secret is named by env or file.',
      examples: ['https://hooks.example.org/hundredfold', { env: 'CHAT_WEBHOOK' }],
    }),
    token: secretSource.meta({
      description: 'Sent to `url` as `Authorization: Bearer …`.',
      examples: [{ env: 'HOOK_TOKEN' }],
    }),
  })
  .partial()
  .meta({ description: 'Who is told when a campaign has ended: a command, a webhook, or both.' });

const storeUrl = z.string().meta({
  description: 'A folder, relative to where the command is typed; each campaign is one below it.',
  default: './results',
  examples: ['./results'],
});

const embeddedDir = z.string().meta({
  description: 'Database and logs of the embedded server. On a local disk.',
  default: '.hundredfold',
  examples: ['.hundredfold'],
});

export const configSchema = z
  .strictObject({
    temporal,
    services: z
      .strictObject({ molecules, predictions })
      .partial()
      .meta({ description: 'The real services. A service that no row needs may be left out.' }),
    store: z.strictObject({ url: storeUrl }).meta({ description: 'Where results go.' }),
    embedded: z
      .strictObject({ dir: embeddedDir })
      .meta({ description: 'The embedded Temporal server.' }),
    jobs,
    notify,
  })
  .partial()
  .meta({
    title: 'Configuration of hundredfold',
    description: 'hundredfold.yaml: every key is optional. docs/configuration.md says more.',
  });

export type Config = z.output<typeof configSchema>;
