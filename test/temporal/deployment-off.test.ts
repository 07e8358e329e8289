/** A Temporal without Worker Deployments, as in older versions, while the configuration requests one. */
import { expect, onTestFinished, test } from 'vitest';
import { temporalCli } from '../../src/temporal/cli.ts';
import { startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { desk } from '../cli/command.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('campaigns run without a deployment if the server has none, and doctor warns about it', async () => {
  const server = await startDevServer({
    executable: temporalCli(),
    dir: await temporaryFolder(),
    // Not the usual one: another server of this machine may have it.
    port: await freePort(),
    headless: true,
    dynamicConfig: { 'system.enableDeploymentVersions': 'false' },
  });
  onTestFinished(() => stopDevServer(server));
  const at = desk();
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${server.address}", deployment: night }
services:
  predictions: { url: "http://127.0.0.1:9", token: { env: TOKEN }, allowHttp: true }\n`,
  );
  const env = { TOKEN: 'a-token-of-ours' };
  const doctor = at.type(['doctor', '--temporal', '--json'], { env });
  const findings = JSON.parse((await doctor.endsWith(1)).stdout) as object[];
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'Temporal deployment',
      ok: true,
      warning: true,
      code: 'DEPLOYMENT_UNSUPPORTED',
    }),
  );

  const services = at.type([
    ...['services', '--port', '0', '--engine', 'synthetic', '--job-time', '100ms'],
  ]);
  await services.says('predictions: ');
  const url = /predictions: +(\S+)/.exec(services.stderr)?.[1] ?? '';
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${server.address}", deployment: night }
services: { predictions: { url: "${url}", token: { env: TOKEN } } }\n`,
  );
  at.write('night.csv', 'id,sequence\np1,MKTAYIAKQRQ\np2,MKTAYIAKQRW\n');
  await at.runs(0, ['run', 'night.csv'], { env });
});
