/**
 * Hosts of one machine: network namespaces at a bridge, each with an address and a host name of its own. Any two can be
 * cut off from each other, and a host's link can be made to lose and delay packets.
 *
 * Needs root and the programs `ip`, `nsenter`, `unshare`; neither iptables nor `tc netem`, which many kernels lack.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface Place {
  readonly name: string;
  readonly address: string;
  /** Words before a command: it then runs on this host, in the same process. */
  readonly enter: readonly string[];
  /** The same for a command of the user `nobody`. */
  readonly enterUnprivileged: readonly string[];
}

interface Link extends Place {
  readonly namespace: string;
  /** The end of its cable at the bridge. */
  readonly plug: string;
  readonly mac: string;
}

/** Of a bad link: one packet in twenty is lost, and each is delayed. */
const [LOSS, DELAY_MS] = ['0.05', '200'];
/** A packet to this address is dropped silently, as in a partition. */
const NOWHERE = '02:00:00:00:00:ff';

const ip = (...words: readonly string[]): string =>
  execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Why namespaces are not available here, in a few words; null if they are. */
export function whyNoNamespaces(): string | null {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const program of ['ip', 'nsenter', 'unshare', 'python3']) {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return `${program} is missing (apt-get install iproute2 util-linux)`;
    }
  }
  return tryOut();
}

function tryOut(): string | null {
  const name = `hf${process.pid}probe`;
  try {
    ip('netns', 'add', name);
  } catch {
    return 'network namespaces are not allowed here';
  }
  try {
    ip('link', 'add', `hf${process.pid}p`, 'type', 'bridge');
    ip('link', 'del', `hf${process.pid}p`);
    return null;
  } catch {
    return 'this kernel has no bridge';
  } finally {
    ip('netns', 'del', name);
  }
}

let networks = 0;

export class Network implements Disposable {
  readonly #id = `${process.pid.toString(36)}${(networks++).toString(36)}`;
  readonly #bridge = `hfb${this.#id}`;
  readonly #subnet: string;
  readonly #links = new Map<string, Link>();
  readonly #lossy = new Map<string, { process: ChildProcess; bridge: string }>();

  constructor() {
    this.#subnet = freeSubnet();
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    // So that the test itself reaches all of them.
    ip('addr', 'add', `${this.#subnet}.254/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
  }

  add(name: string): Place {
    const n = this.#links.size + 1;
    const namespace = `hf${this.#id}-${name}`;
    const plug = `hfv${this.#id}${n}`;
    const address = `${this.#subnet}.${n}`;
    const mac = `02:00:00:00:00:${n.toString(16).padStart(2, '0')}`;
    ip('netns', 'add', namespace);
    ip('link', 'add', plug, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('-n', namespace, 'link', 'set', 'eth0', 'address', mac);
    ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', device, 'up');
    ip('link', 'set', plug, 'master', this.#bridge, 'up');
    const net = ['nsenter', `--net=/run/netns/${namespace}`];
    const named = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', name];
    const link: Link = {
      name,
      address,
      namespace,
      plug,
      mac,
      enter: [...net, ...named],
      enterUnprivileged: [...net, '--setuid=65534', '--setgid=65534'],
    };
    this.#links.set(name, link);
    return link;
  }

  /** From now on no packet goes from one to the other, in both directions. */
  cut(one: string, other: string): void {
    this.#point(one, other, NOWHERE);
    this.#point(other, one, NOWHERE);
  }

  heal(one: string, other: string): void {
    this.#point(one, other, this.#link(other).mac);
    this.#point(other, one, this.#link(one).mac);
  }

  /** Everything that this host sends arrives later, and some packets in both directions are lost. */
  async disturb(name: string): Promise<void> {
    const { plug } = this.#link(name);
    const [near, far, bridge] = [
      `hfn${plug.slice(3)}`,
      `hff${plug.slice(3)}`,
      `hfc${plug.slice(3)}`,
    ];
    const script = join(import.meta.dirname, 'lossy-link.py');
    const process = spawn('python3', [script, near, far, LOSS, DELAY_MS, '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      process.stdout.once('data', () => resolve());
      process.once('exit', (code) => reject(new Error(`lossy-link.py ended with ${String(code)}`)));
    });
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('link', 'set', bridge, 'up');
    ip('link', 'set', near, 'master', bridge, 'up');
    ip('link', 'set', far, 'master', this.#bridge, 'up');
    ip('link', 'set', plug, 'master', bridge);
    this.#lossy.set(name, { process, bridge });
  }

  calm(name: string): void {
    const lossy = this.#lossy.get(name);
    if (!lossy) return;
    this.#lossy.delete(name);
    ip('link', 'set', this.#link(name).plug, 'master', this.#bridge);
    lossy.process.kill('SIGKILL');
    ip('link', 'del', lossy.bridge);
  }

  /** Ids of the processes on a host. */
  processes(name: string): number[] {
    const pids = ip('netns', 'pids', this.#link(name).namespace).trim().split('\n');
    return pids.map(Number).filter((pid) => pid > 0);
  }

  /** The processes in its namespaces must have ended: they would keep them. */
  [Symbol.dispose](): void {
    for (const name of [...this.#lossy.keys()]) this.calm(name);
    for (const { namespace, plug } of this.#links.values()) {
      ip('link', 'del', plug);
      ip('netns', 'del', namespace);
    }
    ip('link', 'del', this.#bridge);
  }

  #point(from: string, to: string, mac: string): void {
    const { namespace } = this.#link(from);
    const neighbour = ['neigh', 'replace', this.#link(to).address, 'lladdr', mac];
    ip('-n', namespace, ...neighbour, 'dev', 'eth0', 'nud', 'permanent');
  }

  #link(name: string): Link {
    const link = this.#links.get(name);
    if (!link) throw new Error(`there is no host ${name}`);
    return link;
  }
}

/** Of 198.18.0.0/15, which is set aside for tests (RFC 2544). */
function freeSubnet(): string {
  const taken = ip('-o', '-4', 'addr');
  for (let n = process.pid % 250; n < 500; n += 1) {
    const subnet = `198.18.${n % 250}`;
    if (!taken.includes(` ${subnet}.`)) return subnet;
  }
  throw new Error('no subnet of 198.18.0.0/16 is free');
}
