/** `hundredfold deployment …` on the command line. */
import type { Command, Option } from 'commander';

interface Common {
  readonly config: () => Option;
  readonly json: () => Option;
  readonly ending: <A extends unknown[]>(
    command: (...args: A) => Promise<number>,
  ) => (...args: A) => Promise<void>;
}

export function addDeployment(program: Command, { config, json, ending }: Common): void {
  const deployment = program
    .command('deployment')
    .description('versions of the program side by side, while campaigns are open');
  deployment
    .command('status')
    .description('the versions that Temporal has seen workers of')
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags) => (await import('./deployment.ts')).deploymentStatus(flags)));
  deployment
    .command('promote')
    .description('make a version current: open campaigns move to it')
    .argument('[build]', 'default: that of this program')
    .addOption(config())
    .addOption(json())
    .action(
      ending(async (build, flags) => (await import('./deployment.ts')).promote(build, flags)),
    );
  deployment
    .command('rollback')
    .description('make that version current again that was before')
    .addOption(config())
    .addOption(json())
    .action(ending(async (flags) => (await import('./deployment.ts')).rollback(flags)));
}
