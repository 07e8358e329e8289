/**
 * Errors of an object store. Server, network and credential problems are retryable: they can be fixed while the
 * campaign waits.
 */
import type { ErrorTable } from './error-entry.ts';
import { lasting, retried, STORE } from './store-wording.ts';

/** The request to the store. */
export interface InBucket {
  /** Completes "Cannot …". */
  action: string;
  /** The address, and the endpoint if one is configured. */
  where: string;
  /** The id of the request in brackets, or nothing. */
  request: string;
}

const LATER = 'The campaign then continues automatically; nothing is submitted twice.';

function cannot<F>(reason: string | ((facts: F) => string)): (facts: F & InBucket) => string {
  return (facts) => {
    const why = typeof reason === 'string' ? reason : reason(facts);
    return `Cannot ${facts.action} in ${facts.where}: ${why}${facts.request}.`;
  };
}

export const BUCKET_ERRORS = {
  STORE_ACCESS_DENIED: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('access was denied'),
        `Check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and that they may list, read, write and delete there. ${LATER}`,
      ),
      'no credentials': retried<InBucket>(
        cannot('no credentials were found, or they could not be loaded'),
        `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role. ${LATER}`,
      ),
    },
  },
  STORE_BUCKET_MISSING: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('there is no such bucket'),
        `Create it, or correct store.url; also check store.endpoint and store.region. ${LATER}`,
      ),
    },
  },
  STORE_WRONG_REGION: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('the bucket is in another region, or belongs to another endpoint'),
        `Set store.region (or AWS_REGION) and store.endpoint to those of the bucket. ${LATER}`,
      ),
      'no region': retried<InBucket>(
        cannot('no region is configured'),
        'Set store.region or AWS_REGION.',
      ),
    },
  },
  STORE_CLOCK_SKEW: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('the clock of this machine differs too much from that of the store'),
        `Synchronise the clock of this machine (NTP). ${LATER}`,
      ),
    },
  },
  STORE_BUSY: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('the store reports that it is overloaded or unavailable'),
        'The request is retried. If the problem remains, run fewer workers, or contact the operators of the store.',
      ),
    },
  },
  STORE_FULL: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('the store has no room left, or the quota is used up'),
        `Free some space there, or raise the quota. ${LATER}`,
      ),
    },
  },
  STORE_DIGEST_MISMATCH: {
    ...STORE,
    texts: {
      bucket: retried<InBucket>(
        cannot('the object that arrived is not the one that was sent'),
        'The request is retried. If the problem remains, look for a proxy in between that changes bodies.',
      ),
      object: lasting<{ key: string; where: string }>(
        ({ key, where }) =>
          `${key} in ${where} is not what was stored: its SHA-256 differs from the one that the store keeps with it.`,
        'Restore the object from a copy, or run the item again with "hundredfold retry".',
      ),
    },
  },
  STORE_BAD_KEY: {
    ...STORE,
    texts: {
      bucket: lasting<InBucket>(
        cannot('another object has the same name, or the name is too long'),
        'Move the object at that place of the bucket.',
      ),
    },
  },
  STORE_IO: {
    ...STORE,
    texts: {
      bucket: retried<InBucket & { status: number; name: string }>(
        cannot(({ status, name }) => `the store answered ${status} (${name})`),
        'Check store.url, store.endpoint and store.pathStyle with "hundredfold doctor".',
      ),
    },
  },
  STORE_UNREACHABLE: {
    ...STORE,
    texts: {
      bucket: retried<InBucket & { reason: string }>(
        cannot(({ reason }) => `the store cannot be reached: ${reason}`),
        `Check store.endpoint, the network, and whether the store is running. ${LATER}`,
      ),
    },
  },
  STORE_BAD_ADDRESS: {
    ...STORE,
    text: lasting<{ fault: string }>(
      ({ fault }) => `The address of the object store cannot be used: ${fault}.`,
      'Write s3://bucket/prefix in store.url or --out, and the server in store.endpoint.',
    ),
  },
  STORE_NOT_CONDITIONAL: {
    ...STORE,
    texts: {
      'not conditional': lasting<{ location: string }>(
        ({ location }) =>
          `The server of ${location} ignores conditional writes (If-None-Match: *): two workers could submit the same item.`,
        'Use a store that supports them (AWS S3, MinIO, Ceph from Squid on, versitygw), or a folder that all workers share.',
      ),
      'not consistent': lasting<{ location: string }>(
        ({ location }) =>
          `The server of ${location} does not show an object right after it was written.`,
        'Use a store that is consistent after a write, as AWS S3 is; switch off a cache in between.',
      ),
    },
  },
} as const satisfies ErrorTable;
