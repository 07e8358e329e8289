/**
 * Object stores as configuration and commands name them: `s3://bucket/prefix`. Pure: text only.
 *
 * Histories have the address of a tree and not how it is reached. Rejected: the endpoint in the address. Hosts may
 * reach a server under different names, and who may start a workflow could send a worker's signed requests to
 * another server.
 */

/** How the object stores of this process are reached; what is left out is taken from the AWS SDK's own settings. */
export interface ObjectStoreAccess {
  /** URL of the server; left out for AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  /** `http://host/bucket/key` in place of `http://bucket.host/key`. */
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

/** An address in parts, or what is wrong with it, as words that follow "…: ". Never repeats a password. */
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
