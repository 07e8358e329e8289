/** `npm run engines`, with a Python that only records its arguments. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  formatAptCommand,
  check,
  install,
  findInstalledEngine,
  requireLibrary,
  requireProgram,
  RECORD_FILE,
  type Recipe,
} from '../../packages/local-services/src/engines/install.ts';

/** `venv FOLDER` copies it into the folder; there, `pip` writes pip.log, and fails as the file pip.fails says. */
const PYTHON = `#!/bin/sh
here=$(dirname "$0")
case "$2 $3" in
  venv*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
  "pip install") echo "$@" >> "$here/../../pip.log"
    if [ -f "$here/../../pip.fails" ]; then cat "$here/../../pip.fails"; exit 1; fi ;;
  "pip list") echo '[{"name": "acpype", "version": "2023.10.27"}]' ;;
esac
`;

let folder: string;
let recipe: Recipe;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engines-'));
  const python = join(folder, 'python3');
  writeFileSync(python, PYTHON);
  chmodSync(python, 0o755);
  recipe = {
    engine: 'acpype',
    size: 'none',
    needs: [],
    python,
    environmentOptions: [],
    pipArguments: ['acpype==2023.10.27'],
    prove: () => ({ version: '2023.10.27' }),
  };
});

afterEach(() => rmSync(folder, { recursive: true }));

describe.runIf(process.platform === 'linux')('an installation', () => {
  test('creates an environment and its record, is not repeated, and counts while both are in their place', () => {
    expect(check(recipe, folder)).toMatchObject({ problem: 'not installed' });
    const record = install(recipe, folder);
    expect(record.packages).toEqual({ acpype: '2023.10.27' });
    expect(findInstalledEngine('acpype', folder)).toEqual(record);
    expect(check(recipe, folder).problem).toBeNull();
    const moved = join(folder, 'moved');
    cpSync(join(folder, 'acpype'), join(moved, 'acpype'), { recursive: true });
    expect(findInstalledEngine('acpype', moved), 'Python cannot be moved').toBeNull();
    writeFileSync(join(folder, 'acpype', RECORD_FILE), '{"engine":"acp');
    expect(findInstalledEngine('acpype', folder), 'its record is not complete').toBeNull();
    expect(readFileSync(join(folder, 'pip.log'), 'utf8')).toContain('acpype==2023.10.27');
  });

  test('that fails shows the output of pip', () => {
    writeFileSync(join(folder, 'pip.fails'), 'THESE PACKAGES DO NOT MATCH THE HASHES');
    const detail = expect.stringContaining('DO NOT MATCH');
    const failed = expect.objectContaining({ code: 'ENGINES_PIP_FAILED', detail });
    expect(() => install(recipe, folder)).toThrow(failed);
  });

  test('names missing system packages, before anything is downloaded', () => {
    const needs = [
      requireLibrary('libnothing.so.1', 'libnothing1'),
      requireProgram('nothing', 'nothing-bin'),
    ];
    const lacking = { ...recipe, needs: [...needs, requireProgram('sh', 'dash')] };
    expect(() => install(lacking, folder)).toThrow(
      expect.objectContaining({
        code: 'ENGINES_SYSTEM',
        message: expect.stringContaining('libnothing.so.1, nothing.'),
        remedy: expect.stringContaining(formatAptCommand(needs)),
      }),
    );
    expect(existsSync(join(folder, 'acpype'))).toBe(false);
  });

  test('is refused on another processor, and if the engine would put a blank into a shell command', () => {
    const other = { ...recipe, architectures: ['s390x'] as const };
    const coded = (code: string) => expect.objectContaining({ code });
    expect(() => install(other, folder)).toThrow(coded('ENGINES_PLATFORM'));
    expect(() => install(recipe, join(folder, 'my engines'))).toThrow(coded('ENGINES_PATH'));
  });
});
