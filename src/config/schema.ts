/**
 * The configuration file as the user writes it: docs/configuration.md describes each key. schemas/config.schema.json
 * for editors is generated from it; `meta` is only for that.
 */
import { z } from 'zod';
import { allowHttp, caOnly, contact } from './schema-network.ts';
import { describeServices } from './schema-services.ts';
import { address, bound, duration, flag, secretSource, url } from './schema-values.ts';
import { worker } from './schema-worker.ts';

/** Credentials in an address would appear in messages. */
const endpoint = url.refine((text) => {
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}, 'write http(s)://host:port, without user name, query and fragment');

const pem = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

const tls = z
  .strictObject({
    ca: pem('PEM file of a CA that the system does not trust.', 'certs/ca.pem'),
    cert: pem('PEM file of the client certificate; with `key`: mutual TLS.', 'certs/client.pem'),
    key: pem('PEM file of the private key of `cert`.', 'certs/client.key'),
    serverName: z.string().meta({
      description:
        "The name in the server's certificate, if it differs from the host of the address.",
      examples: ['temporal.internal'],
    }),
  })
  .partial();

const temporal = z
  .strictObject({
    address: z.string().meta({
      description: 'host:port of a Temporal server. If not set, the embedded server is used.',
      examples: ['temporal.example.org:7233'],
    }),
    profile: z
      .string()
      .or(
        z.strictObject({
          env: z.string().meta({ description: 'The variable that holds the name.' }),
        }),
      )
      .meta({
        description:
          'A profile of the Temporal CLI and SDKs, or the variable that holds its name. TEMPORAL_* variables override it. If not set, neither the profile nor the variables are read.',
        examples: ['default', { env: 'TEMPORAL_PROFILE' }],
      }),
    namespace: z.string().meta({
      description: 'An existing namespace.',
      default: 'default',
      examples: ['default'],
    }),
    taskQueue: z.string().meta({
      description: 'Commands and workers of one task queue work together.',
      default: 'hundredfold',
      examples: ['hundredfold'],
    }),
    deployment: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}$/, 'letters, digits, - and _')
      .meta({
        description:
          'Worker Deployment: several versions of the program run side by side, and one of them is current.',
        examples: ['hundredfold'],
      }),
    apiKey: secretSource.meta({
      description: 'Source of the API key; turns TLS on.',
      examples: [{ env: 'TEMPORAL_API_KEY' }, { file: 'secrets/temporal-key' }],
    }),
    payloadCodec: z.string().meta({
      description:
        'A module that exports `payloadCodec`, which encodes what Temporal stores. All commands and workers of a namespace need the same.',
      examples: ['./codec.ts'],
    }),
    tls: tls.meta({
      description: "TLS; with the system's certificates if no files are named.",
      examples: [{ ca: 'certs/ca.pem' }],
    }),
  })
  .partial()
  .meta({ description: 'Your own Temporal server. If not set, the embedded server is used.' });

const jobs = z
  .strictObject({
    deadline: duration.meta({
      description: 'A job that takes longer fails. A bare number is milliseconds.',
      default: '24h',
      examples: ['24h', '90m'],
    }),
    whenUnsure: z.enum(['hold', 'resubmit']).meta({
      description:
        'What to do if the answer to a submission was lost and the service cannot look it up: `hold` ends the item as held, `resubmit` submits it once more, at the risk of a duplicate job.',
      default: 'hold',
    }),
    lostAfter: duration.meta({
      description:
        'How long a 404 for an accepted job must repeat before it counts. A bare number is milliseconds.',
      default: '15m',
      examples: ['15m', '1h'],
    }),
    sameFailures: bound.meta({
      description:
        'N rows of each kind are sent first, until one has succeeded. If N items of a service fail with the same code and message before one has succeeded, or all but one of the last 2N do, the campaign pauses that service. `none`: all are sent, and it continues.',
      default: 5,
      examples: [10, 'none'],
    }),
  })
  .partial()
  .meta({ description: 'Handling of jobs that do not end, or may have been lost.' });

/** An environment variable gives it as one text. */
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
        'A program and its arguments, started without a shell. It gets the JSON summary on its standard input.',
      examples: [['notify-me', '--about', 'hundredfold']],
    }),
    url: url.or(secretSource).meta({
      description:
        'Address that receives the JSON summary in a POST. If the address is a secret, name its source with env or file.',
      examples: ['https://hooks.example.org/hundredfold', { env: 'CHAT_WEBHOOK' }],
    }),
    token: secretSource.meta({
      description: 'Sent to `url` as `Authorization: Bearer …`.',
      examples: [{ env: 'HOOK_TOKEN' }],
    }),
    allowHttp,
    tls: caOnly.meta({ description: 'TLS to the webhook, and to an https proxy.' }),
  })
  .partial()
  .meta({
    description: 'Who is notified when a campaign has ended: a command, a webhook, or both.',
  });

const store = z
  .strictObject({
    url: z.string().meta({
      description:
        'A folder, relative to the folder in which the command is run, or s3://bucket/prefix. It contains one folder for each campaign.',
      default: './results',
      examples: ['./results', 's3://our-bucket/hundredfold'],
    }),
    endpoint: endpoint.meta({
      description: `The S3 server, if it is not AWS: ${address}.`,
      examples: ['http://storage.example.org:9000'],
    }),
    region: z
      .string()
      .min(1)
      .meta({
        description: 'Region of the bucket. Default: that of the AWS settings of this machine.',
        examples: ['eu-central-1'],
      }),
    pathStyle: flag.meta({
      description:
        '`http://host/bucket` instead of `http://bucket.host`. Default: true if `endpoint` is set.',
    }),
  })
  .partial()
  .meta({ description: 'Where results go. Credentials of a bucket come from the AWS SDK.' });

const embeddedDir = z.string().meta({
  description: 'Folder for the database and logs of the embedded server; must be on a local disk.',
  default: '.hundredfold',
  examples: ['.hundredfold'],
});

/** By their entries; an environment variable gives them as one text. */
export const plugins = z
  .array(z.string().min(1))
  .or(z.string().transform((text) => text.split(',').map((one) => one.trim())));

/** With the services that are known now. */
export function describeConfig() {
  return z
    .strictObject({
      contact,
      temporal,
      plugins: plugins.meta({
        description:
          'Files with kinds and services of your own: paths below the folder of this file, whole paths, or names of installed packages.',
        examples: [['./uniprot.ts']],
      }),
      services: describeServices().meta({
        description: 'The real services. You can omit a service that no row needs.',
      }),
      store,
      embedded: z
        .strictObject({ dir: embeddedDir })
        .meta({ description: 'The embedded Temporal server.' }),
      jobs,
      notify,
      worker,
    })
    .partial()
    .meta({
      title: 'Configuration of hundredfold',
      description: 'hundredfold.yaml. Every key is optional; docs/configuration.md describes them.',
    });
}

/** Without plugins. */
export const configSchema = describeConfig();

export type Config = z.output<typeof configSchema>;
