/**
 * Lets Temporal's SDK download its CLI into a folder: `node sdk-download.js FOLDER VERSION`.
 * The SDK downloads only in order to start a server, so one is started and stopped.
 */
const [folder, version] = process.argv.slice(2);
const { TestWorkflowEnvironment } = await import('@temporalio/testing');
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir: folder, version } },
});
await environment.teardown();
