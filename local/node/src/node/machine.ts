import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { arch, cpus, hostname, networkInterfaces, release, totalmem } from 'node:os';
import type { NodeSystemInfo } from '@tektite/schema/kubernetes';

/** The resources of a machine, in the words of the API. */
export interface Machine {
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly capacity: {
    readonly cpu: string;
    readonly memory: string;
    readonly 'ephemeral-storage': string;
    readonly pods: string;
  };
  readonly architecture: string;
  readonly info: Omit<NodeSystemInfo, 'containerRuntimeVersion' | 'kubeletVersion' | 'kubeProxyVersion'>;
}

/** The default of kubelets. */
const defaultMaxPods = 110;
const architectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
  arm: 'arm',
  ia32: '386',
  ppc64: 'ppc64le',
  s390x: 's390x',
};

/** Inspects this machine. `directory` is on the file system whose size counts. */
export async function inspectMachine(directory: string, maxPods: number = defaultMaxPods): Promise<Machine> {
  const { bsize, blocks } = await statfs(directory);
  const architecture = architectures[arch()] ?? arch();
  return {
    hostname: hostname().toLowerCase(),
    addresses: addresses(),
    capacity: {
      cpu: String(cpus().length || 1),
      memory: `${Math.floor(totalmem() / 1024)}Ki`,
      'ephemeral-storage': `${Math.floor((bsize * blocks) / 1024)}Ki`,
      pods: String(maxPods),
    },
    architecture,
    info: {
      architecture,
      bootID: read('/proc/sys/kernel/random/boot_id'),
      kernelVersion: release(),
      machineID: read('/etc/machine-id'),
      operatingSystem: 'linux',
      osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(read('/etc/os-release'))?.[1] ?? 'Linux',
      systemUUID: read('/sys/class/dmi/id/product_uuid') || read('/etc/machine-id'),
    },
  };
}

/** The address that others reach this machine by, or loopback when it has no other. */
function addresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outer = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  return [outer ?? '127.0.0.1'];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
