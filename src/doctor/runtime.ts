/** What `doctor` reports about this process: its Node, and what the system permits it. */
import { checkOpenFiles } from '../host/open-files.ts';
import { programVersion } from '../program/files.ts';
import { problem, type Finding } from './finding.ts';

export function runtimeFinding(): Finding {
  const check = 'runtime';
  try {
    checkOpenFiles();
  } catch (error) {
    return problem(check, error);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 22 || (major === 22 && minor >= 19);
  const found = `hundredfold ${programVersion()}, Node ${process.version}, ${process.platform} ${process.arch}`;
  return ok
    ? { check, ok, found }
    : { check, ok, found, remedy: 'Install Node 24 (at least 22.19).' };
}
