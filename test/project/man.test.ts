import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAN_PAGE, manPage } from '../../scripts/man.ts';
import { program } from '../../src/cli/command-line/program.ts';

test('the manual page is up to date (to update: node scripts/man.ts)', () => {
  expect(readFileSync(MAN_PAGE, 'utf8')).toBe(manPage());
});

test('the manual page contains every command, and only valid roff requests', () => {
  const page = manPage();
  for (const command of program.commands)
    if (command.name() !== 'host' && command.name() !== 'complete')
      expect(page).toContain(`hundredfold ${command.name().replaceAll('-', '\\-')}`);
  const requests = page.split('\n').filter((line) => line.startsWith('.'));
  for (const line of requests) expect(line).toMatch(/^\.(TH|SH|SS|TP|B|I|RI)\b/);
});
