/** With fewer items, starting the threads takes longer (half a second) than they save. */
export const WORTH_THREADS = 300;
