import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir, userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { once } from 'node:events';
import { findCgroups, inspectHost, isRuntimeError, PodNetwork } from '@tektite/node';
import { entrypointMissing, entrypointProgram } from '@tektite/pipelines';
import { readUpRecord } from '../up-record.ts';
import { type Check, missing, ok, warning } from './check.ts';
import { findProgram, programVersion } from './find-program.ts';

/** The oldest Node.js that everything is tested on. */
const oldestNode = [20, 19] as const;

export function checkNode(version: string = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return ok('Node.js', version);
  return missing('Node.js', `${version} is too old`, `Install Node.js ${oldestNode.join('.')} or later.`);
}

/** Pods are processes in namespaces. The runtime of `run` and `up` does the same check when it opens. */
export async function checkNamespaces(): Promise<Check> {
  const name = 'namespaces';
  if (process.platform !== 'linux')
    return missing(name, `${process.platform} has none`, 'Use Linux, or `tektite up --runtime simulated`.');
  try {
    const { userNamespace } = await inspectHost();
    return ok(name, userNamespace ? 'user, mount, PID, IPC and UTS namespaces' : 'mount, PID, IPC and UTS namespaces');
  } catch (error) {
    if (!isRuntimeError(error)) throw error;
    return missing(name, 'the kernel or this machine refuses them', error.message);
  }
}

/** Whether `--network pods` works here, and Pods reach other networks from it. */
export async function checkPodNetwork(): Promise<Check> {
  const name = 'network of Pods';
  try {
    await using network = await PodNetwork.open({ directory: `/nonexistent/tektite-doctor-${process.pid}` });
    await network.openWayOut();
    return ok(name, 'an address for each Pod');
  } catch (error) {
    if (!isRuntimeError(error)) throw error;
    return warning(name, 'Pods have that of this machine', error.message);
  }
}

/** The program that runs inside of every step. */
export function checkStepProgram(program: string | undefined = entrypointProgram()): Check {
  const name = 'step program';
  return program === undefined ? missing(name, 'it is not compiled', entrypointMissing) : ok(name, program);
}

/** Ranges of a user in `/etc/subuid` or `/etc/subgid`: lines of `name:first:count`. */
export function subordinateIds(text: string, user: { readonly username: string; readonly uid: number }): number {
  return text
    .split('\n')
    .map((line) => line.trim().split(':'))
    .filter(([owner]) => owner === user.username || owner === String(user.uid))
    .reduce((sum, [, , count]) => sum + (Number(count) || 0), 0);
}

/** Enough for the ids of any image. */
const wantedIds = 65_536;

export function checkSubordinateIds(): Check {
  const name = 'subordinate ids';
  const user = userInfo();
  if (user.uid === 0) return ok(name, 'not needed by root');
  const counts = ['/etc/subuid', '/etc/subgid'].map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
  const fewest = Math.min(...counts.map((text) => subordinateIds(text, user)));
  const tools = ['newuidmap', 'newgidmap'].filter((each) => !findProgram(each));
  if (fewest >= wantedIds && tools.length === 0) return ok(name, `${fewest} user and group ids`);
  const lacks = tools.length > 0 ? `${tools.join(' and ')} not found` : `${fewest} of ${wantedIds} ids`;
  const remedy =
    tools.length > 0
      ? 'Install them (Debian and Ubuntu: apt-get install uidmap; Fedora: dnf install shadow-utils).'
      : `As root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ${user.username}`;
  return warning(name, `${lacks}; all users of a container are you, and podman runs few images`, remedy);
}

export function checkCgroups(): Check {
  const name = 'cgroups';
  const cgroups = findCgroups(`tektite-doctor-${process.pid}`);
  cgroups?.close();
  if (cgroups) return ok(name, 'limits of memory and CPU are enforced');
  return warning(
    name,
    'limits of memory and CPU are not enforced',
    'Run as root, or in a delegated cgroup: systemd-run --user --scope -p Delegate=yes tektite …',
  );
}

const gibibyte = 2 ** 30;

/** A Pod writes a little, an image a lot. */
export function diskCheck(name: string, folder: string, freeBytes: number): Check {
  const detail = `${(freeBytes / gibibyte).toFixed(1)} GiB free in ${folder}`;
  const remedy = name === 'disk' ? 'Free some, or choose another folder with --data-dir.' : 'Free some, or set TMPDIR.';
  if (freeBytes < gibibyte / 16) return missing(name, detail, remedy);
  return freeBytes < gibibyte ? warning(name, detail, remedy) : ok(name, detail);
}

export async function checkDisk(dataDir: string): Promise<readonly Check[]> {
  const places = [
    ['disk', nearestFolder(resolve(dataDir))],
    ['temporary files', nearestFolder(tmpdir())],
  ] as const;
  return Promise.all(
    places.map(async ([name, folder]) => {
      const { bavail, bsize } = await statfs(folder);
      return diskCheck(name, folder, bavail * bsize);
    }),
  );
}

/** A data folder need not exist yet. */
function nearestFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestFolder(dirname(path));
}

export async function checkPort(port: number, dataDir: string): Promise<Check> {
  const name = `port ${port}`;
  if (readUpRecord(resolve(dataDir))?.server.endsWith(`:${port}`)) return ok(name, 'the control plane of this machine');
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return ok(name, 'free');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail = code === 'EADDRINUSE' ? 'another process listens on it' : `it cannot be used (${code})`;
    return warning(name, detail, 'Choose another with `tektite up --port`; 0 takes a free one.');
  } finally {
    server.close();
  }
}

/** Programs that people use beside this one. Without them, everything of our own works. */
export async function checkCompanion(name: string, use: string): Promise<Check> {
  const file = findProgram(name, process.env['PATH']);
  if (file === undefined) return ok(name, `not found; only needed for ${use}`);
  return ok(name, (await programVersion(name, file)) ?? file);
}

/** Without traffic: whether there is a way out at all. Nothing of our own needs one. */
export function checkNetwork(env: NodeJS.ProcessEnv = process.env): Check {
  const name = 'network';
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const hasAddress = addresses.some(({ internal }) => !internal);
  const proxy = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((each) => env[each]);
  if (proxy) return ok(name, `through the proxy of $${proxy}`);
  if (hasAddress && hasNameServer()) return ok(name, 'an address and a name server');
  return warning(
    name,
    hasAddress ? 'no name server' : 'no address but loopback',
    'Runs work offline, with images that are in the store and with shells of this machine. Remote files, resolvers and images need /etc/resolv.conf and a route, or $HTTPS_PROXY.',
  );
}

function hasNameServer(): boolean {
  try {
    return /^\s*nameserver\s/m.test(readFileSync('/etc/resolv.conf', 'utf8'));
  } catch {
    return false;
  }
}
