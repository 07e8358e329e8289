/** Completion with the tab key, in a real shell. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PREPARED_CAMPAIGN } from '../../src/store/layout.ts';
import { BIN, desk } from './command.ts';

/** The part of bash-completion that is needed, for a machine without it. */
const WORDS = `_get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword-1]}
}`;

test.each([
  ['a command', ['hundredfold', 'sta'], ['status']],
  ['an option', ['hundredfold', 'retry', '--fa'], ['--failed']],
  ['the choices of an option', ['hundredfold', 'items', 'night', '--state', 'fai'], ['failed']],
  ['the name of a campaign', ['hundredfold', 'watch', ''], ['night']],
])('bash completes %s', (_, words, expected) => {
  const at = desk();
  at.write(`results/night/${PREPARED_CAMPAIGN}`, '{}');
  at.write('results/notes/readme.txt', 'no campaign');
  at.write('bin/hundredfold', `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(at.path('bin', 'hundredfold'), 0o755);
  const typed = words.map((word) => `'${word}'`).join(' ');
  const script = `${WORDS}
    eval "$(hundredfold completion bash)"
    compopt() { :; }
    COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}
    __hundredfold_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: at.path(),
    env: { PATH: `${at.path('bin')}:/usr/bin:/bin`, HOME: at.path() },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual(expected);
});
