/** Folders that belong to one user: where they are, who may read them, and what is refused. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPrivateFolder, openStateFolder, chooseStatePath } from '../../src/state.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the state folder', () => {
  test('is the configured one, or the default of the system, with a folder for each machine', () => {
    const HOME = '/home/one';
    expect(chooseStatePath({ HOME, HUNDREDFOLD_STATE_DIR: '/somewhere' })).toBe('/somewhere');
    expect(chooseStatePath({ HOME, XDG_STATE_HOME: '/state' }, 'linux')).toMatch(
      /^\/state\/hundredfold\/[0-9a-f]{8}$/,
    );
    expect(chooseStatePath({ HOME, XDG_STATE_HOME: 'relative' }, 'linux')).toMatch(
      /^\/home\/one\/\.local\/state\/hundredfold\/[0-9a-f]{8}$/,
    );
    expect(chooseStatePath({ HOME }, 'darwin')).toMatch(
      /^\/home\/one\/Library\/Application Support\/hundredfold\/[0-9a-f]{8}$/,
    );
  });

  test('is created with mode 0700', async () => {
    const HOME = await temporaryFolder();
    const path = openStateFolder({ HOME });
    expect(path).toBe(chooseStatePath({ HOME }));
    expect(modeOf(path)).toBe(0o700);
  });

  test('that cannot be used is an error that says what to set', async () => {
    const file = join(await temporaryFolder(), 'no-folder');
    writeFileSync(file, '');
    for (const environment of [{ HOME: file }, { HUNDREDFOLD_STATE_DIR: join(file, 'state') }])
      expect(() => openStateFolder(environment)).toThrow(
        expect.objectContaining({ code: 'STATE_FOLDER_UNUSABLE' }),
      );
  });
});

describe('a private folder', () => {
  test('is refused when it is a symbolic link, belongs to another user, or is shared with others', async () => {
    const parent = await temporaryFolder();
    mkdirSync(join(parent, 'target'));
    symlinkSync(join(parent, 'target'), join(parent, 'link'));
    const shared = join(parent, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    const cases = [join(parent, 'link')];
    if (process.getuid?.() !== 0) cases.push('/etc');
    for (const folder of cases)
      expect(() => createPrivateFolder(folder), folder).toThrow(
        expect.objectContaining({ code: 'STATE_FOLDER_UNUSABLE' }),
      );
    expect(() => createPrivateFolder(shared)).toThrow(
      expect.objectContaining({ code: 'STATE_FOLDER_UNUSABLE' }),
    );
    expect(modeOf(shared)).toBe(0o777);
  });
});
