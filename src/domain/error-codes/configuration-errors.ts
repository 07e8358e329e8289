/** Errors of the configuration, the environment and what they name. The table is in docs/configuration.md. */
import { wording, type ErrorTable } from './error-entry.ts';
import { CREDENTIAL_ERRORS } from './credential-errors.ts';
import { PLUGIN_ERRORS } from './plugin-errors.ts';

const CONFIGURATION_PLACE =
  'Set temporal.address in hundredfold.yaml, or HUNDREDFOLD_TEMPORAL_ADDRESS.';

const FOLDER_ERRORS = {
  STATE_FOLDER_UNUSABLE: {
    exit: 'refused',
    advice: 'the folder of the ledger cannot be created or written: set `HUNDREDFOLD_STATE_DIR`',
    text: wording<{ path: string; reason: string }>(
      ({ path, reason }) => `cannot use ${path} for the ledger of submissions: ${reason}`,
      'Set HUNDREDFOLD_STATE_DIR to a folder of your own, on a disk of this machine.',
    ),
  },
  FOLDER_NOT_PRIVATE: {
    exit: 'refused',
    advice:
      'a folder that must be private is a symbolic link, or belongs to another user: remove it',
    text: wording<{ folder: string; reason: string }>(
      ({ folder, reason }) => `${folder} cannot be used as a private folder: ${reason}`,
      'Remove it, or name a folder of your own in HUNDREDFOLD_STATE_DIR.',
    ),
  },
} as const satisfies ErrorTable;

const FILE_ERRORS = {
  CONFIG_UNREADABLE: {
    exit: 'refused',
    advice: 'the file named with `--config` or `HUNDREDFOLD_CONFIG` cannot be read: check the path',
    text: wording<{ path: string }>(
      ({ path }) => `cannot read the configuration ${path}`,
      'Check the path given with --config.',
    ),
  },
  CONFIG_NOT_WRITTEN: {
    exit: 'usage',
    advice:
      '`hundredfold init` cannot write there: name a folder that you may write to, or one that does not exist yet',
    text: wording<{ path: string; code: string }>(
      ({ path, code }) => `cannot write ${path} (${code})`,
      'Choose a folder that you can write to, or one that does not exist yet.',
    ),
  },
  CONFIG_NOT_YAML: {
    exit: 'refused',
    advice: 'correct the YAML at the named place; the usual cause is a tab for indentation',
    text: wording<{ path: string; reason: string }>(
      ({ path, reason }) => `${path}: ${reason}`,
      'Correct the YAML at that place.',
    ),
  },
  CONFIG_INVALID: {
    exit: 'refused',
    advice: 'correct every named key; compare with the tables above',
    text: wording<{ where: string; problems: readonly string[] }>(
      ({ where, problems }) => `${where} is not a valid configuration:\n${problems.join('\n')}`,
      'docs/configuration.md lists every key with an example.',
    ),
  },
} as const satisfies ErrorTable;

const REFERENCE_ERRORS = {
  CONFIG_NO_SERVICE: {
    exit: 'refused',
    advice:
      'rows need a service that is not configured: add it, or rehearse with `--services synthetic`',
    texts: {
      needed: wording<{ who: string; services: readonly string[]; examples: readonly string[] }>(
        ({ who, services }) => {
          const names = services.map((name) => `"${name}"`).join(' and ');
          const noun = services.length === 1 ? 'service' : 'services';
          return `${who} needs the ${noun} ${names}, and none is configured`;
        },
        ({ examples }) =>
          [
            'To try it out on this machine: add --services local (recorded results, for the examples only)',
            '  or --services synthetic (made-up results of the right form, for any input).',
            '  To use the real ones, write a hundredfold.yaml (docs/configuration.md says more):',
            '    services:',
            ...examples.map((example) => `      ${example}`),
          ].join('\n'),
      ),
      worker: wording(
        'a worker without services has nothing to do',
        'Name at least one under services: in hundredfold.yaml (docs/configuration.md).',
      ),
    },
  },
  CONFIG_NO_TEMPORAL: {
    exit: 'refused',
    advice:
      '`hundredfold worker` needs `temporal.address`; `hundredfold run` does not need a worker',
    texts: {
      worker: wording(
        'a worker needs a Temporal server, and none is configured',
        `${CONFIGURATION_PLACE} \`hundredfold run\` needs no worker.`,
      ),
    },
  },
  CONFIG_LOCAL_SERVICES: {
    exit: 'refused',
    advice:
      '`--services local` and `--services synthetic` work only with the embedded server; with your own Temporal server, start `hundredfold services` and configure it under `services`',
    text: wording<{ name: string; address: string }>(
      ({ name, address }) =>
        `--services ${name} needs the embedded server, and temporal.address is ${address}`,
      'Omit temporal.address, or start `hundredfold services` and configure its addresses under services:.',
    ),
  },
  CONFIG_STORE_UNSUPPORTED: {
    exit: 'refused',
    advice: '`store.url` is an address that is not S3: use a folder, or `s3://bucket/prefix`',
    text: wording<{ url: string }>(
      ({ url }) => `store.url: ${url} is neither a folder nor an S3 address`,
      'Use a folder, or s3://bucket/prefix.',
    ),
  },
  CONFIG_STORE_ADDRESS: {
    exit: 'refused',
    advice:
      'the `s3://` address has an invalid bucket name, an empty part, a query or a password: use `s3://bucket/prefix`',
    text: wording<{ fault: string }>(
      ({ fault }) => `store.url: the address of the object store cannot be used: ${fault}`,
      'Write s3://bucket/prefix, set the server in store.endpoint, and leave credentials to the AWS SDK (docs/object-store.md).',
    ),
  },
  CONFIG_PROXY_INVALID: {
    exit: 'refused',
    advice:
      '`HTTPS_PROXY` and `HTTP_PROXY` must be addresses of `http` or `https` proxies: `http://host:port`',
    text: wording<{ variable: string }>(
      ({ variable }) =>
        `the environment variable ${variable} is not the address of an http or https proxy`,
      'Write it as http://host:port, or unset it.',
    ),
  },
  SERVICE_URL_WRONG: {
    exit: 'refused',
    advice:
      'correct the address: the message says what answers there and, if it was found, the right address. Nothing was submitted',
    text: wording<{ service: string; found: string; hint: string }>(
      ({ service, found }) => `services.${service}.url: ${found}; nothing was submitted`,
      ({ hint }) => hint,
    ),
  },
  SERVICE_URL_INVALID: {
    exit: 'usage',
    advice: 'use an address without user name, password, query and fragment',
    texts: {
      form: wording(
        'The address of a service must be an http or https URL, without query and fragment.',
        'Write it as https://host/path in the configuration.',
      ),
      user: wording<{ host: string }>(
        ({ host }) => `The address of the service at ${host} contains a user name or password.`,
        'Remove them: addresses are shown in messages. The token has its own key.',
      ),
    },
  },
} as const satisfies ErrorTable;

export const CONFIGURATION_ERRORS = {
  ...FOLDER_ERRORS,
  ...FILE_ERRORS,
  ...CREDENTIAL_ERRORS,
  ...REFERENCE_ERRORS,
  ...PLUGIN_ERRORS,
};
