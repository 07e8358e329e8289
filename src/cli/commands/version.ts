/** `hundredfold version`: what a bug report should contain. */
import { EXIT } from '../../domain/errors.ts';
import { temporalCli } from '../../temporal/cli.ts';
import { temporalCliVersion } from '../../program/temporal-cli.js';
import { programVersion as own } from '../../program/files.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { printDocument, printLine } from '../text/output.ts';

export function version({ json }: CommonFlags): Promise<number> {
  const versions = {
    hundredfold: own(),
    node: process.version.slice(1),
    platform: `${process.platform} ${process.arch}`,
    temporalCli: cliVersion(),
  };
  if (json) printDocument(versions);
  else
    for (const [name, one] of Object.entries(versions))
      printLine(`${name}  ${one ?? 'not installed'}`);
  return Promise.resolve(EXIT.ok);
}

/** null if none is installed. */
function cliVersion(): string | null {
  try {
    return temporalCliVersion(temporalCli());
  } catch {
    return null;
  }
}
