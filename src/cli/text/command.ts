/** Commands to type again. */
import { quoted } from './quoted.ts';

interface RunWords {
  readonly out?: string;
  readonly name?: string;
  readonly allowOutside?: boolean;
  readonly cache?: boolean;
  readonly skipInvalid?: boolean;
  readonly services?: string;
  readonly config?: string;
}

/** With the options that decide which rows are run, and where to. */
export function runCommand(
  manifests: readonly string[],
  { out, name, allowOutside, cache, skipInvalid, services, config }: RunWords,
): string {
  const options = [
    ...(out === undefined ? [] : ['--out', quoted(out)]),
    ...(name === undefined ? [] : ['--name', quoted(name)]),
    ...(allowOutside ? ['--allow-outside'] : []),
    ...(skipInvalid ? ['--skip-invalid'] : []),
    ...(cache === false ? ['--no-cache'] : []),
    ...(services === undefined ? [] : ['--services', services]),
    ...(config === undefined ? [] : ['--config', quoted(config)]),
  ];
  return ['hundredfold run', ...manifests.map(quoted), ...options].join(' ');
}
