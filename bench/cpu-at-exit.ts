/** Loaded into a command by `--import`: at its end it adds the CPU time of its process (s) to the file `BENCH_CPU`. */
import { appendFileSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const file = process.env['BENCH_CPU'];
  if (file !== undefined) appendFileSync(file, `${((user + system) / 1e6).toFixed(3)}\n`);
});
