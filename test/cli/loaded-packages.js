/** `node --import loaded-packages.js …`: names each package that the process has loaded in the file LOADED_PACKAGES. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
process.on('exit', () =>
  writeFileSync(process.env.LOADED_PACKAGES, JSON.stringify([...loaded].sort())),
);
