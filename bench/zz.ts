import { Bench, sequences } from './command.ts';
import { readFileSync, readdirSync } from 'node:fs';
const cpu = () => { const m: Record<string, number> = {}; for (const p of readdirSync('/proc')) { if (!/^\d+$/.test(p)) continue; try { const c = readFileSync(`/proc/${p}/cmdline`,'utf8').replaceAll('\0',' '); if (!c.includes(bench.folder) && !/temporal server|hundredfold.js/.test(c)) continue; const cwd = (await0(p)); if (cwd !== bench.folder) continue; const s = readFileSync(`/proc/${p}/stat`,'utf8').split(') ')[1]!.split(' '); m[c.slice(0,90)] = (Number(s[11])+Number(s[12]))/100; } catch {} } return m; };
import { readlinkSync } from 'node:fs';
function await0(p: string) { return readlinkSync(`/proc/${p}/cwd`); }
const bench = await Bench.open();
await bench.serve(['--engine','synthetic','--concurrency','0','--limit','0','--job-time','100ms','--retry-after','0'],'none');
const N = 300;
let last: Record<string, number> = {};
const t = setInterval(() => { last = { ...last, ...cpu() }; }, 500);
const r = await bench.run('run', await bench.manifest(sequences(N)), '--json');
clearInterval(t);
if (r.code !== 0) console.log(r.stderr);
const { startedAt, endedAt } = JSON.parse(r.stdout);
const s = (Date.parse(endedAt)-Date.parse(startedAt))/1000;
console.log(N/s, 'items/s'); for (const [k,v] of Object.entries(last)) console.log((v*1000/N).toFixed(0),'ms/item', k);
await bench.close();
