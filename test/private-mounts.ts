/** File systems that only one command sees, and that end with it. They need Linux and user namespaces. */
import { spawnSync } from 'node:child_process';

/** Starts a program as the root of namespaces of its own. */
export const PRIVATE_MOUNTS = ['unshare', '--mount', '--map-root-user'] as const;

const [program, ...words] = PRIVATE_MOUNTS;

export const canMount =
  spawnSync(program, [...words, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
