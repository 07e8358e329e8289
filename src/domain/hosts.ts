/** Hosts: of this machine, and of its network. Pure: text only. */

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
