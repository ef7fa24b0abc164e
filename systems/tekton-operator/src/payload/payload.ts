import type { Manifest } from '@tektite/manifest';
import { PayloadError, type PayloadSource } from './payload-source.ts';
import { isReleaseVersion, isSameVersion, newestFirst } from './release-version.ts';

/** A release that was chosen and read. */
export interface Release {
  /** As the source calls it. */
  readonly version: string;
  readonly manifest: Manifest;
  /** As its source says. */
  readonly maker?: string;
}

/**
 * Sources in their order: for each component the first that has it decides. What was read is kept; what failed is tried again.
 *
 * @example
 * const payload = new Payload([folderPayload(process.env.KO_DATA_PATH)]);
 * const { version, manifest } = await payload.release(['tekton-pipeline']);
 */
export class Payload {
  private readonly sources: readonly PayloadSource[];
  private readonly releases = new Map<string, Promise<Release>>();
  private readonly extras = new Map<string, Promise<Manifest | undefined>>();

  constructor(sources: readonly PayloadSource[]) {
    this.sources = sources;
  }

  /**
   * The newest release of a component, or the one that is pinned. Several names are tried in turn: releases were called by
   * other names at times.
   */
  release(folders: readonly string[], pinned?: string): Promise<Release> {
    return remember(this.releases, `${folders.join()} ${pinned ?? ''}`, () => this.find(folders, pinned));
  }

  /** The versions there are, the newest first. */
  async versions(folders: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(this.sources.flatMap((source) => folders.map((folder) => source.versions(folder))));
    return newestFirst([...new Set(found.flat())]);
  }

  /** Whether there is anything of a component, a release or objects without a version. */
  async has(folders: readonly string[]): Promise<boolean> {
    if ((await this.versions(folders)).length > 0) return true;
    for (const folder of folders) if (await this.extra(folder)) return true;
    return false;
  }

  /** Objects that come without a version. */
  extra(folder: string): Promise<Manifest | undefined> {
    return remember(this.extras, folder, async () => {
      for (const source of this.sources) {
        const manifest = await source.extra?.(folder);
        if (manifest) return manifest;
      }
      return undefined;
    });
  }

  private async find(folders: readonly string[], pinned: string | undefined): Promise<Release> {
    const seen: string[] = [];
    for (const source of this.sources)
      for (const folder of folders) {
        const versions = newestFirst((await source.versions(folder)).filter(isReleaseVersion));
        seen.push(...versions);
        const version = pinned ? versions.find((item) => isSameVersion(item, pinned)) : versions[0];
        if (version !== undefined)
          return {
            version,
            manifest: await nonEmpty(source, folder, version),
            ...(source.maker === undefined ? {} : { maker: source.maker }),
          };
      }
    const where = this.sources.map(({ describe }) => describe).join(', ') || 'nowhere';
    const [name = ''] = folders;
    if (pinned && seen.length > 0)
      throw new PayloadError(
        `there is no release ${pinned} of ${name} (searched ${where}); there are ${seen.join(', ')}`,
      );
    throw new PayloadError(`there is no release of ${name} (searched ${where})`);
  }
}

async function nonEmpty(source: PayloadSource, folder: string, version: string): Promise<Manifest> {
  const manifest = await source.load(folder, version);
  if (manifest.size === 0)
    throw new PayloadError(`the release ${folder} ${version} of ${source.describe} has no objects`);
  return manifest;
}

function remember<T>(map: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = map.get(key);
  if (known) return known;
  const made = make();
  map.set(key, made);
  made.catch(() => map.delete(key));
  return made;
}
