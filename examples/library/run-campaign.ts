/**
 * Plans a campaign, runs it to its end and prints what happens.
 *
 *   node examples/library/run-campaign.ts MANIFEST…
 *
 * With the services of this project and the embedded server. Leave `services` out to use those of hundredfold.yaml.
 */
import { HundredfoldError, plan, startCampaign } from 'hundredfold';

const manifests = process.argv.slice(2);
const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());

try {
  const planned = await plan(manifests, { services: 'local' });
  console.log(`${planned.campaign}: ${planned.rows} rows, ${planned.submissions} jobs to submit`);
  for (const { severity, file, line, message } of planned.problems)
    console.log(`${severity}: ${file}:${line ?? 1}: ${message}`);

  const campaign = await startCampaign(manifests, { services: 'local', signal: interrupt.signal });
  try {
    for await (const event of campaign.events()) {
      if (event.type === 'item') console.log(`${event.id}: ${event.state}`);
      if (event.type === 'notice') console.log(event.text);
      if (event.type === 'ended') {
        const { items, out } = event.result;
        console.log(`${items.succeeded} of ${items.total} succeeded: ${out}`);
      }
    }
  } finally {
    await campaign.close();
  }
  if (interrupt.signal.aborted) console.log('Interrupted. Run the same command to resume.');
} catch (error) {
  if (!(error instanceof HundredfoldError)) throw error;
  console.error(`${error.code}: ${error.message}\n  ${error.remedy}`);
  process.exitCode = error.exitCode;
}
