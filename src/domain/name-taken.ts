const NAME_TAKEN =
  /job.?name.*\b(?:already|exists?|taken|used|uniq|duplicat)|duplicate (?:job|name)|name.*already/i;

/** Whether a service says that a job has this name already. Its status code is not shown (prediction service, section 7). */
export function saysNameTaken(message: string): boolean {
  return NAME_TAKEN.test(message);
}
