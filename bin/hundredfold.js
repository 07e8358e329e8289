#!/usr/bin/env node
/**
 * Starts the command on a Node that can run it. `npx hundredfold` finds the pinned Node by itself; a direct
 * `./node_modules/.bin/hundredfold` gets the system's, which may be Node 20: then the pinned one is started.
 * Plain JavaScript without top-level surprises, so that an old Node can read it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A checkout runs its TypeScript; the package has compiled code in its place. */
const checkout = existsSync(fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)));
const ending = checkout ? 'ts' : 'js';

/** Types stripped without a flag, node:sqlite, and the first line of 22 whose published holes are closed (22.23.4). */
const MIN_NODE = [22, 23];
const [major, minor] = process.versions.node.split('.').map(Number);

/** Type stripping and node:sqlite announce themselves on stderr, which belongs to the user. */
function muteExperimentalWarnings() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' ? rest[0]?.type : rest[0];
    if (type === 'ExperimentalWarning') return;
    emitWarning.call(process, warning, ...rest);
  };
}

/** First of all: what was loaded before would be lost. */
async function becomeWorkerProcess() {
  const worker = await import(`../src/cli/worker-process.${ending}`);
  worker.becomeWorkerProcess();
}

/**
 * Compiling the modules takes a third of the time of a command like `list`. Node's own default is a folder below the
 * shared temporary one, where somebody else could put code. A folder named by NODE_COMPILE_CACHE takes precedence: Node
 * uses it before this runs.
 */
async function keepCompiledCode() {
  const { cacheFolder } = await import(`../src/program.${ending}`);
  const folder = folderOrNull(cacheFolder);
  if (folder !== null) nodeModule.enableCompileCache(join(folder, 'code'));
}

/** A user id without an account and without HOME has no such folder: the command then compiles its code each time. */
function folderOrNull(find) {
  try {
    return find();
  } catch (error) {
    if (error.syscall !== 'uv_os_homedir' && error.info?.syscall !== 'uv_os_homedir') throw error;
    return null;
  }
}

/** On a terminal the child is in our process group and gets Ctrl-C by itself: passed on, it would count twice. */
function signalsToPassOn() {
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  return onTerminal ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM', 'SIGHUP', 'SIGINT'];
}

function startOn(node) {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signalsToPassOn().includes(signal)) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(
      `NODE_UNUSABLE: the Node of node_modules does not start: ${error.message}\n` +
        'Run npm ci, or start hundredfold with Node 22.23 or newer.\n',
    );
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    // Of the dynamic loader, which has named the missing library: our own commands never end with it.
    if (code === 127)
      process.stderr.write(
        'NODE_UNUSABLE: the Node of node_modules needs a library that this system does not have.\n' +
          'Install it (libatomic.so.1: apt install libatomic1, or dnf install libatomic), or start hundredfold with ' +
          'Node 22.23 or newer.\n',
      );
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) {
  muteExperimentalWarnings();
  await becomeWorkerProcess();
  await keepCompiledCode();
  await import(`../src/cli/main.${ending}`);
} else {
  const name = `node-${process.platform}-${process.arch}`;
  const pinned = fileURLToPath(new URL(`../node_modules/${name}/bin/node`, import.meta.url));
  if (existsSync(pinned)) {
    startOn(pinned);
  } else {
    process.stderr.write(
      `NODE_TOO_OLD: hundredfold needs Node ${MIN_NODE.join('.')} or newer; this is ${process.version}.\n` +
        (checkout && process.platform === 'linux'
          ? 'Run scripts/ready.sh in the checkout: it brings its own.\n'
          : 'Install Node 26, then start again.\n'),
    );
    process.exitCode = 1;
  }
}
