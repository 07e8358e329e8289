const NAME_TAKEN =
  /job.?name.*\b(?:already|exists?|taken|used|uniq|duplicat)|duplicate (?:job|name)|name.*already/i;

/**
 * Whether a service says that a job already has this name. The contract does not show its status code (prediction
 * service, section 7).
 */
export function saysNameTaken(message: string): boolean {
  return NAME_TAKEN.test(message);
}
