/** The section `services:` of the configuration file. */
import { z } from 'zod';
import { EXTRA_FORMATS } from '../domain/outcomes.ts';
import { network, NETWORK_IS_OPTIONAL } from './schema-network.ts';
import { address, bound, flag, limit, maxDownload, secretSource, url } from './schema-values.ts';

const maxUnfinished = (fallback: number) =>
  bound.meta({
    description:
      'Maximum number of jobs that the service has accepted and not finished. Other jobs wait on this side, not in the queue of the service.',
    default: fallback,
    examples: [50, 'none'],
  });

const statusRequests = bound.meta({
  description:
    'Maximum number of status requests per second from one worker to this service, for all jobs together.',
  default: 5,
  examples: [1, 'none'],
});

const MANNERS_ARE_OPTIONAL = { maxUnfinished: true, statusRequests: true } as const;

const format = z.enum(EXTRA_FORMATS);

/** An environment variable gives them as one text. */
const formats = z.array(format).or(
  z
    .string()
    .regex(/^\s*(json|input)(\s*,\s*(json|input))*\s*$/)
    .transform((text) => text.split(',').map((one) => format.parse(one.trim()))),
);

export const molecules = z
  .strictObject({
    url: url.meta({
      description: `Address of the service (mol_base_url in its contract): ${address}.`,
      examples: ['https://molecules.example.org/acpype'],
    }),
    token: secretSource.meta({
      description: 'Source of your 10-character identifier at the service.',
      default: { env: 'HUNDREDFOLD_MOLECULE_TOKEN' },
      examples: [{ file: 'secrets/molecule-token' }],
    }),
    budget: limit.meta({
      description: 'Maximum number of jobs in a rolling window; the contract states no limit.',
      default: 'none',
      examples: [{ limit: 100, window: '60m' }],
    }),
    // Not a column of the manifest: a user's own column of that name would publish its rows, which cannot be undone.
    public: flag.meta({
      description:
        'Lists your jobs, with their titles and files, on the public page of the service (section 1.6 of its contract).',
      default: false,
    }),
    maxDownload,
    maxUnfinished: maxUnfinished(20),
    statusRequests,
    ...network,
  })
  .partial({
    token: true,
    budget: true,
    public: true,
    maxDownload: true,
    ...MANNERS_ARE_OPTIONAL,
    ...NETWORK_IS_OPTIONAL,
  })
  .meta({ description: 'The service for rows of kind molecule.' });

export const predictions = z
  .strictObject({
    url: url.meta({
      description: `Address of the service (base_url in its contract; the path of the API is added): ${address}.`,
      examples: ['https://predictions.example.org'],
    }),
    token: secretSource.meta({
      description: 'Source of your token for this service.',
      default: { env: 'HUNDREDFOLD_PREDICTION_TOKEN' },
      examples: [{ file: 'secrets/prediction-token' }],
    }),
    budget: limit.meta({
      description: 'Maximum number of jobs in a rolling window.',
      default: { limit: 100, window: '60m' },
      examples: ['none'],
    }),
    variant: z.enum(['current', 'earlier']).meta({
      description: '`earlier` for a server that still implements section 9 of the contract.',
      default: 'current',
    }),
    formats: formats.meta({
      description:
        'Additional download formats: `json` (downloaded.json) and `input` (downloaded-input.txt).',
      default: [],
      examples: [['json', 'input']],
    }),
    maxDownload,
    maxUnfinished: maxUnfinished(100),
    statusRequests,
    ...network,
  })
  .partial({
    token: true,
    budget: true,
    variant: true,
    formats: true,
    maxDownload: true,
    ...MANNERS_ARE_OPTIONAL,
    ...NETWORK_IS_OPTIONAL,
  })
  .meta({ description: 'The service for rows of kind sequence, alignment and shifts.' });
