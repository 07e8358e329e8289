/**
 * The configuration file as the user writes it. Each key is described here only: the reference page
 * (docs/configuration.md), the starter file of `init` and the schema for editors are made from these descriptions
 * (`node scripts/schemas.ts`). Descriptions are Markdown; `example` is what the starter file shows if there is no default.
 */
import { z } from 'zod';
import { parseDuration } from '../domain/units.ts';
import { isObjectAddress, parseObjectAddress } from '../store/layout.ts';
import { listServices } from '../services/registry.ts';
import type { Service } from '../services/service.ts';

/* ---- values that several keys have ---- */

const EDITOR_DURATION = '^(?=[^1-9]*[1-9])\\s*\\d+(?:\\.\\d+)?\\s*(?:ms|s|m|h|d)?\\s*$';

/** `60m`, `1h`, `10s`, `500ms`, or a number of ms. Becomes ms. */
export const duration = z
  .union([z.number().meta({ exclusiveMinimum: 0 }), z.string().meta({ pattern: EDITOR_DURATION })])
  .transform((value, context) => {
    const parsed = parseDuration(String(value));
    if (parsed !== null) return parsed;
    context.addIssue(`not a length of time: ${String(value)} (write 60m, 1h, 10s or 500ms)`);
    return z.NEVER;
  });

/** Never a literal: a token in a file that is shared or committed is compromised. */
const secretSource = z.union(
  [
    z.strictObject({ env: z.string().meta({ description: 'The variable that holds it.' }) }),
    z.strictObject({
      file: z.string().meta({
        description: 'A file that contains nothing else; its path is relative to this file.',
      }),
    }),
  ],
  'write { env: NAME } or { file: PATH }: a secret does not stand in this file',
);

const MAX_LIMIT = 10_000;
/** More have no use, and each costs the budget some hundred remembered times. */
const MAX_WINDOWS = 5;

const window = z.strictObject({
  limit: z.int().positive().max(MAX_LIMIT).meta({ description: 'Accepted jobs in one window.' }),
  window: duration.meta({ description: 'Length of the rolling window.' }),
});

/** Of several windows all hold at once. Becomes the windows of a policy. */
export const budget = z
  .union(
    [z.literal('none'), window, z.array(window).min(1).max(MAX_WINDOWS)],
    'write `none`, or a number and a time: { limit: 100, window: 60m }',
  )
  .transform((one) =>
    one === 'none' ? [] : [one].flat().map(({ limit, window: windowMs }) => ({ limit, windowMs })),
  );

/** `none`, which becomes null, or a number. */
const bound = z
  .literal('none')
  .or(z.int().positive())
  .transform((one) => (one === 'none' ? null : one));

const url = z.url({
  protocol: /^https?$/,
  error: 'write the whole address, such as https://host.example.org/path',
});

/** Credentials in an address would appear in messages. */
const endpoint = url.refine((text) => {
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}, 'write http(s)://host:port, without user name, query and fragment');

/* ---- services ---- */

/** Headers of the message itself, and those that the program sets; a gateway does not need them. */
const OWN_HEADERS =
  /^(accept-encoding|connection|content-length|content-type|host|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade|user-agent|x-service-token)$/i;
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
  .refine((name) => !OWN_HEADERS.test(name), 'this header is set by hundredfold');

function describeSecrets({ secrets }: Service): Record<string, z.ZodPrefault<typeof secretSource>> {
  const keys = Object.entries(secrets).map(([key, { description, env, example }]) => {
    const examples = example === undefined ? {} : { examples: [{ file: example }] };
    return [key, secretSource.prefault({ env }).meta({ description, ...examples })] as const;
  });
  return Object.fromEntries(keys);
}

/** Their names are file names and words of tables. */
const laneName = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, 'letters, digits, - and _');

const lanes = z
  .array(
    z.strictObject({
      name: laneName.meta({ description: 'Its name in tables and messages.' }),
      url: url.meta({
        description: 'Address of `hundredfold services` on the machine with the engine.',
      }),
      maxOpen: z.int().positive().meta({
        description:
          'How many jobs it computes at a time: its cores. Up to 2 x maxOpen + 2 rows are with it at a time.',
      }),
      sameEngine: z.boolean().default(false).meta({
        description:
          'The engine there is that of the service, where the service does not tell its version.',
      }),
      allowHttp: z.boolean().default(false).meta({
        description:
          'Allows sending the inputs unencrypted to an `http` address of another machine.',
      }),
    }),
    'write a list: [{ name: big, url: "http://big:8080", maxOpen: 16 }]',
  )
  .min(1);

/** What the definition of a service allows, as a user would write it. */
export function toBudget({ budget: { windows } }: Service): z.input<typeof budget> {
  const [only, ...more] = windows;
  return only === undefined ? 'none' : more.length === 0 ? only : [...windows];
}

function describeService(service: Service) {
  const { url: place, pace, config, kinds } = service;
  const { maxOpen, description: allows } = service.budget;
  const schema = z.strictObject({
    url: (place.default === undefined ? url : url.default(place.default)).meta({
      description: `${place.description ?? 'Address of the service'}: http or https, without user name, query and fragment.`,
      ...(place.example !== undefined && { examples: [place.example] }),
    }),
    ...describeSecrets(service),
    budget: budget.prefault(toBudget(service)).meta({
      description: `${allows ?? 'Jobs in a rolling window.'} Write \`{ limit: 100, window: 60m }\`, a list of up to ${MAX_WINDOWS} windows that all hold at once, or \`none\`; a limit is at most ${MAX_LIMIT}. Set what the service really has.`,
    }),
    ...config.shape,
    maxOpen: bound.prefault(maxOpen ?? 'none').meta({
      description:
        'Jobs that the service has accepted and that have not ended, or `none`. Others wait on this side, not in the queue of a shared service.',
    }),
    lanes: lanes.optional().meta({
      description:
        'Engines of your own that compute rows of a campaign beside the service ([engines.md](engines.md), "Two lanes").',
      examples: [[{ name: 'here', url: 'http://127.0.0.1:8080', maxOpen: 4 }]],
    }),
    poll: describePoll(pace),
    headers: z
      .record(headerName, secretSource)
      .optional()
      .meta({
        description:
          'Further headers of each request, for a gateway in front of the service. For HTTP Basic, `Authorization` with the text `Basic` and the encoded login.',
        examples: [{ 'X-Gateway-Key': { env: 'GATEWAY_KEY' } }],
      }),
    allowHttp: z.boolean().default(false).meta({
      description:
        'Allows sending the token unencrypted to an `http` address of another machine. Only for networks that you trust.',
    }),
  });
  const names = new Intl.ListFormat('en').format(kinds.map(({ name }) => name));
  return schema.optional().meta({ description: `The service for rows of the kind ${names}.` });
}

function describePoll({ every, atMost }: Service['pace']) {
  return z
    .strictObject({
      every: duration.meta({ description: 'Between two status requests for a young job.' }),
      atMost: duration.meta({ description: 'The same for an old one.' }),
    })
    .partial()
    .optional()
    .meta({
      description:
        'Time between two status requests for one job: young, and at most; in between a tenth of its age. The service may ask for more.',
      default: { every, atMost },
    });
}

/* ---- sections ---- */

const temporal = z
  .strictObject({
    address: z.string().meta({
      description:
        '`host:port` of the gRPC frontend of a Temporal server. Without it, the embedded server is used.',
      examples: ['temporal.example.org:7233'],
    }),
    namespace: z.string().meta({
      description: 'An existing namespace; its retention decides how long the UI shows campaigns.',
      default: 'default',
    }),
    taskQueue: z.string().meta({
      description: 'Commands and workers of one task queue work together.',
      default: 'hundredfold',
    }),
    deployment: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}$/, 'letters, digits, - and _')
      .meta({
        description:
          'Worker Deployment: versions of the program run side by side, and one is current. The same for all workers of a task queue.',
        examples: ['hundredfold'],
      }),
    apiKey: secretSource.meta({
      description: 'Source of the API key; turns TLS on.',
      examples: [{ env: 'TEMPORAL_API_KEY' }],
    }),
    tls: z
      .strictObject({
        ca: z.string().meta({ description: 'PEM file of a CA that the system does not trust.' }),
        cert: z.string().meta({ description: 'PEM file of the client certificate.' }),
        key: z.string().meta({ description: 'PEM file of the private key of `cert`.' }),
        serverName: z.string().meta({ description: "The name in the server's certificate." }),
      })
      .partial()
      .refine(({ cert, key }) => !cert === !key, 'cert and key are written together')
      .meta({
        description:
          "TLS. `{}` turns it on with the system's certificates; `ca`, `cert`, `key` are PEM files, `cert` and `key` together for mutual TLS; `serverName` if the certificate is not for the host of the address.",
        examples: [
          {
            ca: 'certs/ca.pem',
            cert: 'certs/client.pem',
            key: 'certs/client.key',
            serverName: 'temporal.internal',
          },
        ],
      }),
    payloadCodec: z.string().meta({
      description:
        'A module that exports `payloadCodec`, which encodes what Temporal stores; the same for all commands and workers of a namespace.',
      examples: ['./codec.ts'],
    }),
  })
  .partial()
  .meta({ description: 'Your own Temporal server instead of the embedded one.' });

const jobs = z
  .strictObject({
    deadline: duration.prefault('24h').meta({
      description: 'A job that takes longer, from its acceptance, fails with `JOB_OVERDUE`.',
    }),
    whenUnsure: z.enum(['hold', 'resubmit']).default('hold').meta({
      description:
        'If the answer to a submission was lost and the service cannot look it up: `hold` ends the item as held, `resubmit` submits it once more, at the risk of a duplicate job.',
    }),
    lostAfter: duration.prefault('15m').meta({
      description:
        'How long a 404 for an accepted job, or for its result, must repeat while the service is healthy before it counts.',
    }),
    sameFailures: bound.prefault(5).meta({
      description:
        'N rows of each kind are sent first, until one has succeeded. If N items of a service fail with the same code and message before one has succeeded, or all but one of the last 2N do, the campaign pauses that service. `none`: all are sent, and it continues.',
    }),
  })
  .prefault({})
  .meta({ description: 'Jobs that do not end, fail alike, or may have been lost.' });

const notify = z
  .strictObject({
    url: secretSource.meta({
      description:
        'Gets the JSON summary in a POST, with a `text` that chat programs show. The address of a chat is a secret: name its source, as for a token.',
      examples: [{ env: 'CHAT_WEBHOOK' }],
    }),
  })
  .meta({ description: 'The webhook that is told that a campaign has ended.' });

/** Any other URL would silently become a folder with an odd name. The address is not repeated: it may have a password. */
const checkStoreAddress = (context: z.core.ParsePayload<string>): void => {
  const refuse = (message: string) =>
    context.issues.push({ code: 'custom', message, input: undefined });
  if (isObjectAddress(context.value)) {
    const parsed = parseObjectAddress(context.value);
    if ('fault' in parsed)
      refuse(`write s3://bucket/prefix, without a server or credentials: ${parsed.fault}`);
  } else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(context.value))
    refuse('neither a folder nor an S3 address: write a folder, or s3://bucket/prefix');
};

const store = z
  .strictObject({
    url: z.string().check(checkStoreAddress).default('./results').meta({
      description:
        'A folder, relative to that of the command, or `s3://bucket/prefix`; each campaign is a folder below it. `--out` overrides it.',
    }),
    endpoint: endpoint.optional().meta({
      description: 'The S3 server, if it is not AWS.',
      examples: ['https://storage.example.org:9000'],
    }),
    region: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'Region of the bucket, if it is not that of the AWS settings.',
        examples: ['eu-central-1'],
      }),
    pathStyle: z
      .boolean()
      .optional()
      .meta({
        description:
          '`http://host/bucket` instead of `http://bucket.host`; `true` if `endpoint` is set.',
        examples: [true],
      }),
  })
  .prefault({})
  .meta({ description: 'Where results go. Credentials of a bucket come from the AWS SDK.' });

const embedded = z
  .strictObject({
    dir: z
      .string()
      .default('.hundredfold')
      .meta({ description: 'Its database and logs; must be on a local disk.' }),
  })
  .prefault({})
  .meta({ description: 'The embedded Temporal server.' });

export const plugins = z.array(z.string().min(1)).meta({
  description:
    'Kinds and services of your own ([plugins.md](plugins.md)): files below the folder of this one, whole paths, or installed packages. A plugin is code and runs with your rights.',
  examples: [['./uniprot.ts']],
});

/** With the services that are known now: those of plugins are loaded first. */
export function describeConfig() {
  const services = z
    .strictObject(
      Object.fromEntries(listServices().map((service) => [service.name, describeService(service)])),
    )
    .meta({ description: 'The services. You can omit one that no row needs.' });
  return z
    .strictObject({
      plugins: plugins.optional(),
      services: services.optional(),
      store,
      embedded,
      jobs,
      notify: notify.optional(),
      temporal: temporal.optional(),
    })
    .meta({
      title: 'Configuration of hundredfold',
      description: 'hundredfold.yaml. Every key is optional; docs/configuration.md describes them.',
    });
}

/** Without plugins. */
export const configSchema = describeConfig();

export type Config = z.output<typeof configSchema>;
