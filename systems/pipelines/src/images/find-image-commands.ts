import type { ImageCommands } from '../pod/image-commands.ts';
import type { RegistryClient } from '@tektite/oci';

interface Platform {
  readonly os?: string;
  readonly architecture?: string;
  readonly variant?: string;
  readonly 'os.version'?: string;
}

interface ImageConfig extends Platform {
  readonly config?: { readonly Entrypoint?: readonly string[] | null; readonly Cmd?: readonly string[] | null };
}

type Entries = readonly { readonly digest: string; readonly platform?: Platform }[];

/** The commands of an image on each of its platforms. */
export async function findImageCommands(
  manifest: object,
  client: RegistryClient,
  hasArguments: boolean,
): Promise<ImageCommands['commands']> {
  const { manifests } = manifest as { readonly manifests?: Entries };
  if (!Array.isArray(manifests)) {
    const config = await configOf(manifest, client);
    return { [`${config.os ?? ''}/${config.architecture ?? ''}`]: commandOf(config, hasArguments) };
  }
  const commands: Record<string, readonly string[] | null> = Object.create(null) as Record<string, null>;
  for (const [platform, digest] of platformsOf(manifests as Entries)) {
    const { value } = await client.describe(digest);
    commands[platform] = commandOf(await configOf(value, client), hasArguments);
  }
  return commands;
}

/** Builders keep proofs of origin as images of an unknown platform. */
function platformsOf(entries: Entries): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const { digest, platform = {} } of entries) {
    const name = platformName(platform);
    if (name === 'unknown/unknown') continue;
    const before = digests.get(name);
    if (before !== undefined && before !== digest)
      throw new Error(`duplicate unique image found for platform: ${name}: found ${before} and ${digest}`);
    digests.set(name, digest);
  }
  return digests;
}

function platformName({ os = '', architecture = '', variant = '', 'os.version': version = '' }: Platform): string {
  const parts = [os, architecture, variant].filter((part) => part !== '');
  return parts.join('/') + (version === '' ? '' : `:${version}`);
}

async function configOf(manifest: object, client: RegistryClient): Promise<ImageConfig> {
  const { config } = manifest as { readonly config?: { readonly digest?: string } };
  if (!config?.digest) throw new Error('unsupported media type for image reference');
  return JSON.parse((await client.blob(config.digest)).toString('utf8')) as ImageConfig;
}

/** As engines do: the image's arguments count only where the step has none. */
function commandOf({ config = {} }: ImageConfig, hasArguments: boolean): readonly string[] | null {
  const { Entrypoint: entrypoint, Cmd: cmd } = config;
  if (!entrypoint?.length) return cmd ?? null;
  return hasArguments ? entrypoint : [...entrypoint, ...(cmd ?? [])];
}
