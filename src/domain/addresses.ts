/** Addresses: hosts of this machine and its network, and object stores. Pure: text only. */

/** Loopback addresses, and the names for them (RFC 6761, section 6.3). `hostname` as in a URL: IPv6 in brackets. */
export function isLocalHost(hostname: string): boolean {
  const name = normaliseHostname(hostname);
  return name === '[::1]' || /^127(\.\d+){3}$/.test(name) || /(^|\.)localhost$/.test(name);
}

/** Private addresses (RFC 1918 and RFC 4193), and those of test networks (RFC 2544). */
const PRIVATE =
  /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|198\.1[89](\.\d+){2}|\[f[cd].*\])$/;
/** A name without a dot, as used for containers and machines of one network. */
const SINGLE_LABEL = /^[^.:[\]]+$/;

/** This machine, or one of the same network. */
export function isOnLocalNetwork(hostname: string): boolean {
  const name = normaliseHostname(hostname);
  return isLocalHost(name) || PRIVATE.test(name) || SINGLE_LABEL.test(name);
}

function normaliseHostname(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

/**
 * Object stores as named in the configuration and commands: `s3://bucket/prefix`. Pure: text only.
 *
 * Histories contain the address of a tree but not how to reach it. Rejected: the endpoint in the address. Hosts may
 * reach a server under different names, and anyone who may start a workflow could send a worker's signed requests to
 * another server.
 */

/** How this process reaches object stores; omitted values are taken from the AWS SDK's own settings. */
export interface ObjectStoreAccess {
  /** URL of the server; default: AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  /** `http://host/bucket/key` instead of `http://bucket.host/key`. */
  readonly pathStyle?: boolean;
}

export interface ObjectAddress {
  readonly bucket: string;
  /** Without a slash at either end; empty for the bucket itself. */
  readonly prefix: string;
}

export function isObjectAddress(address: string): boolean {
  return /^s3:\/\//i.test(address);
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** The parts of an address, or its fault, in words that follow "…: ". Never repeats a password. */
export function parseObjectAddress(address: string): ObjectAddress | { readonly fault: string } {
  const rest = address.replace(/^s3:\/\//i, '').replace(/\/+$/, '');
  const [bucket = '', ...segments] = rest.split('/');
  if (bucket.includes('@')) return { fault: 'it has a user name or a password in it' };
  if (/[?#\\]/.test(rest)) return { fault: 'it has a "?", a "#" or a backslash in it' };
  if (!BUCKET.test(bucket)) {
    return {
      fault: 'a bucket has 3 to 63 of a-z 0-9 . - and begins and ends with a letter or digit',
    };
  }
  if (segments.some((one) => one === '' || one === '.' || one === '..')) {
    return { fault: 'its prefix has an empty part, or a part "." or ".."' };
  }
  return { bucket, prefix: segments.join('/') };
}
