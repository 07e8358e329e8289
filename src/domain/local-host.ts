/** Which host names and addresses mean this machine, or its own network. As `URL.hostname` has them: IPv6 in brackets. */

/** Loopback addresses, and the names that stand for them (RFC 6761, section 6.3). */
export function isLocalHost(hostname: string): boolean {
  const name = normal(hostname);
  return name === '[::1]' || /^127(\.\d+){3}$/.test(name) || /(^|\.)localhost$/.test(name);
}

/** Private addresses: RFC 1918 and RFC 4193. */
const PRIVATE = /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[f[cd].*\])$/;
/** A name without a dot, as containers and machines of one network have. */
const SINGLE_LABEL = /^[^.:[\]]+$/;

/** This machine, or one of the same network. */
export function isOnLocalNetwork(hostname: string): boolean {
  const name = normal(hostname);
  return isLocalHost(name) || PRIVATE.test(name) || SINGLE_LABEL.test(name);
}

function normal(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}
