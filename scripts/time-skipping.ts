/**
 * Downloads Temporal's time-skipping test server: `npm run setup:time-skipping`. Maven resolves the coordinates and
 * knows the user's mirrors and proxies; every file is compared with the digests pinned here.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { commonProblem, lastLines, SetupProblem } from '../src/program/problem.js';
import { TEST_SERVER_JARS, TEST_SERVER_VERSION } from './time-skipping-jars.ts';
import {
  findTimeSkippingServer,
  hasJava,
  PROGRAM,
  testServerFolder,
} from './time-skipping-server.ts';

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
      <version>${TEST_SERVER_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/** Downloads the jars into `folder`. */
function fetchJars(folder: string): void {
  const pom = join(dirname(folder), 'pom.xml');
  writeFileSync(pom, PROJECT);
  const args = [
    '-B',
    '-q',
    '-f',
    pom,
    COPY,
    `-DoutputDirectory=${folder}`,
    '-DincludeScope=runtime',
  ];
  const run = spawnSync('mvn', args, { encoding: 'utf8', timeout: 600_000 });
  if (run.error && 'code' in run.error && run.error.code === 'ENOENT') {
    throw new SetupProblem(
      'SETUP_NO_MAVEN',
      'mvn was not found; it fetches the test server.',
      'Install Maven (Debian: apt install maven; macOS: brew install maven), then start again.',
    );
  }
  if (run.error) throw run.error;
  if (run.status === 0) return;
  const text = `${run.stdout}\n${run.stderr}`;
  throw (
    commonProblem('Maven', text) ??
    new SetupProblem(
      'SETUP_MAVEN_FAILED',
      'Maven failed.',
      'Read its words below.',
      lastLines(text),
    )
  );
}

/** Exactly the pinned files, with the pinned content: everything in the folder is run. */
function checkJars(folder: string): void {
  const found = readdirSync(folder).sort();
  const wrong = found.filter((name) => TEST_SERVER_JARS[name] !== sha256(join(folder, name)));
  const absent = Object.keys(TEST_SERVER_JARS).filter((name) => !found.includes(name));
  if (wrong.length === 0 && absent.length === 0) return;
  throw new SetupProblem(
    'SETUP_HASH_MISMATCH',
    'The fetched test server is not the one that is pinned.',
    'Something between here and the repository changed it, or a download broke off: remove these files from Maven’s local repository and start again; if the problem remains, ask the operators of your mirror.',
    [
      ...wrong.map((name) => `unexpected: ${name}`),
      ...absent.map((name) => `absent: ${name}`),
    ].join('\n'),
  );
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Atomically, by the rename. */
function setUp(): void {
  if (!hasJava()) {
    throw new SetupProblem(
      'SETUP_NO_JAVA',
      'java was not found; the test server runs on it.',
      'Install a Java runtime (Debian: apt install default-jre-headless), then start again.',
    );
  }
  const target = testServerFolder();
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(join(dirname(target), 'time-skipping-'));
  try {
    const made = join(draft, 'server');
    mkdirSync(join(made, 'jars'), { recursive: true });
    fetchJars(join(made, 'jars'));
    rmSync(join(made, 'pom.xml'));
    checkJars(join(made, 'jars'));
    writeFileSync(join(made, 'temporal-test-server'), PROGRAM);
    chmodSync(join(made, 'temporal-test-server'), 0o755);
    // Another process that downloaded it meanwhile has the same files.
    if (!existsSync(target)) renameSync(made, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

try {
  if ('missing' in findTimeSkippingServer()) setUp();
  console.error(`set-up: the time-skipping test server ${TEST_SERVER_VERSION} is in place.`);
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  if (error.detail) console.error(error.detail);
  console.error(`${error.code}: ${error.message}`);
  console.error(error.remedy);
  process.exitCode = 1;
}
