import { StoreError } from './store-error.ts';

/** The operating system and architecture that an image was built for. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

const architectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  x86_64: 'amd64',
  aarch64: 'arm64',
  ia32: '386',
  armhf: 'arm',
};

/** The platform of this machine. */
export function ownPlatform(arch: string = process.arch): Platform {
  return { os: 'linux', architecture: architectures[arch] ?? arch };
}

/** Parses `linux/arm64`, `linux/arm/v7` or `arm64`. */
export function parsePlatform(text: string): Platform {
  const parts = text.toLowerCase().split('/');
  const [os = '', architecture = '', variant] = parts.length === 1 ? ['linux', ...parts] : parts;
  if (parts.length > 3 || !/^[a-z0-9_]+$/.test(os) || !/^[a-z0-9_]+$/.test(architecture))
    throw new StoreError('NO_PLATFORM', `${JSON.stringify(text)} is not a platform such as linux/amd64`);
  return { os, architecture: architectures[architecture] ?? architecture, ...(variant ? { variant } : {}) };
}

export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant ? [variant] : [])].join('/');
}

/**
 * Whether an image for `offered` runs where `wanted` is asked for. A variant counts only where both name one; v8 is the only one that
 * arm64 has.
 */
export function fitsPlatform(offered: Partial<Platform>, wanted: Platform): boolean {
  if (offered.os !== wanted.os || offered.architecture !== wanted.architecture) return false;
  const variantOf = ({ architecture, variant }: Partial<Platform>) =>
    architecture === 'arm64' && variant === 'v8' ? undefined : variant || undefined;
  const [have, want] = [variantOf(offered), variantOf(wanted)];
  return have === undefined || want === undefined || have === want;
}
