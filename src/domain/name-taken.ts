const NAME_TAKEN =
  /job.?name.*\b(?:already|exists?|taken|used|uniq|duplicat)|duplicate (?:job|name)|name.*already/i;

/** Whether a job of this name already exists. The status code is not shown (prediction service, section 7). */
export function saysNameTaken(message: string): boolean {
  return NAME_TAKEN.test(message);
}
