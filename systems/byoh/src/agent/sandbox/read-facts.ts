import { readFile } from 'node:fs/promises';
import { arch, networkInterfaces, platform } from 'node:os';
import { join } from 'node:path';
import type { HostNetwork } from '../../kinds/byo-host.ts';
import type { HostFacts } from './sandbox.ts';

/** Go's names, which are the names in the API. */
const archNames = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
  ['ppc64', 'ppc64le'],
]);

export function archName(): string {
  return archNames.get(arch()) ?? arch();
}

/** Reads the facts of the machine, below a folder that need not be its root. */
export async function readFacts(root: string): Promise<HostFacts> {
  const osimage = await readOsImage(root);
  const defaultInterface = defaultRoute(await readFile('/proc/net/route', 'utf8').catch(() => ''));
  return {
    info: { osname: platform(), osimage, architecture: archName() },
    network: defaultInterface === undefined ? [] : networkOf(defaultInterface),
    ...(defaultInterface === undefined ? {} : { defaultInterface }),
  };
}

async function readOsImage(root: string): Promise<string> {
  for (const file of ['etc/os-release', 'usr/lib/os-release']) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (text !== undefined) return prettyName(text);
  }
  throw new Error('this host has neither /etc/os-release nor /usr/lib/os-release: its operating system is not known');
}

export function prettyName(text: string): string {
  const line = text.split('\n').find((each) => each.startsWith('PRETTY_NAME='));
  return (
    line
      ?.slice('PRETTY_NAME='.length)
      .trim()
      .replaceAll(/^["']|["']$/g, '') || 'Unknown'
  );
}

/** The interface whose destination is everything, of the smallest metric. */
export function defaultRoute(table: string): string | undefined {
  const routes = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, destination, , flags]) => destination === '00000000' && (Number.parseInt(flags ?? '0', 16) & 1) === 1)
    .sort((a, b) => Number(a[6] ?? 0) - Number(b[6] ?? 0));
  return routes[0]?.[0];
}

function networkOf(defaultInterface: string): readonly HostNetwork[] {
  return Object.entries(networkInterfaces()).map(([name, addresses = []]) => {
    const mac = addresses[0]?.mac ?? '';
    return {
      // Node lists only interfaces that are up.
      connected: true,
      macAddr: mac === '00:00:00:00:00:00' ? '' : mac,
      networkInterfaceName: name,
      ...(addresses.length > 0 ? { ipAddrs: addresses.map(({ cidr, address }) => cidr ?? address) } : {}),
      ...(name === defaultInterface ? { isDefault: true } : {}),
    };
  });
}
