/**
 * Temporal's time-skipping test server (Maven `io.temporal:temporal-test-server`), for the test of a night:
 * `npm run setup:time-skipping` downloads it. Maven resolves the coordinates and knows the user's mirrors and proxies;
 * every file is compared with time-skipping.sha256. Not part of `npm ci`, because it needs Java.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '1.38.0';
/** Outside node_modules, which `npm ci` empties. */
const TOOLS = join(import.meta.dirname, '..', '.tools');
const TARGET = join(TOOLS, `temporal-test-server-${VERSION}`);
/** Pinned: Maven's default version depends on its own. */
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

const PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>hundredfold</groupId>
  <artifactId>time-skipping</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/**
 * The program: Java replaces the shell, so that it gets its signals, and a watcher runs beside it, because a test
 * process that is killed sends none and would leave Java behind forever.
 */
const PROGRAM = `#!/bin/sh
folder=$(dirname "$0")
server=$$
parent=$PPID
(
  while kill -0 "$parent" && kill -0 "$server"; do sleep 1; done
  kill -9 "$server"
) </dev/null >/dev/null 2>&1 &
exec java -cp "$folder/jars/*" io.temporal.testserver.TestServer "$@"
`;

/** A program with a port as its argument, as for the SDK's `existing-path`; or why it is missing, in a few words. */
type TimeSkippingServer = { readonly path: string } | { readonly missing: string };

export function findTimeSkippingServer(): TimeSkippingServer {
  const path = join(TARGET, 'temporal-test-server');
  if (spawnSync('java', ['-version']).status !== 0) return { missing: 'Java is not installed' };
  try {
    accessSync(path, constants.X_OK);
    return { path };
  } catch {
    return { missing: 'the test server is not fetched: npm run setup:time-skipping' };
  }
}

/** Exactly the pinned files, with the pinned content: everything in the folder is run. */
function checkJars(folder: string): void {
  const found = readdirSync(folder).map((name) => {
    const digest = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${digest.digest('hex')}  ${name}`;
  });
  const pinned = readFileSync(join(import.meta.dirname, 'time-skipping.sha256'), 'utf8');
  const [wanted, got] = [pinned.trim().split('\n').sort(), found.sort()];
  const wrong = [
    ...wanted.filter((line) => !got.includes(line)).map((line) => `absent: ${line}`),
    ...got.filter((line) => !wanted.includes(line)).map((line) => `unexpected: ${line}`),
  ];
  if (wrong.length > 0) throw new Error(`not as in time-skipping.sha256:\n${wrong.join('\n')}`);
}

/** Atomic, by the rename. */
function setUp(): void {
  mkdirSync(TOOLS, { recursive: true });
  const draft = mkdtempSync(join(TOOLS, 'time-skipping-'));
  try {
    const [made, pom] = [join(draft, 'server'), join(draft, 'pom.xml')];
    const jars = join(made, 'jars');
    mkdirSync(jars, { recursive: true });
    writeFileSync(pom, PROJECT);
    const args = ['-B', '-q', '-f', pom, COPY, `-DoutputDirectory=${jars}`];
    execFileSync('mvn', [...args, '-DincludeScope=runtime'], { stdio: 'inherit' });
    checkJars(jars);
    writeFileSync(join(made, 'temporal-test-server'), PROGRAM, { mode: 0o755 });
    renameSync(made, TARGET);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if ('missing' in findTimeSkippingServer()) setUp();
  console.error(`The time-skipping test server ${VERSION} is in place.`);
}
