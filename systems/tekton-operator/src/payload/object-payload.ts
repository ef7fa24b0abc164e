import { Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { PayloadError, type PayloadSource } from './payload-source.ts';

/** A release that a program makes: the objects of one version of a component. */
export interface MadeRelease {
  readonly folder: string;
  readonly version: string;
  readonly objects: () => readonly DynamicObject[];
}

/** Releases that this program itself makes. */
export function objectPayload(
  releases: readonly MadeRelease[],
  extras: Readonly<Record<string, () => readonly DynamicObject[]>> = {},
): PayloadSource {
  return {
    describe: 'this program',
    maker: 'tektite',
    versions: async (folder) => releases.filter((release) => release.folder === folder).map(({ version }) => version),
    async load(folder, version) {
      const release = releases.find((item) => item.folder === folder && item.version === version);
      if (!release) throw new PayloadError(`this program makes no ${folder} ${version}`);
      return Manifest.of(release.objects(), `${folder} ${version}`);
    },
    async extra(folder) {
      const objects = Object.hasOwn(extras, folder) ? extras[folder]?.() : undefined;
      return objects && Manifest.of(objects, folder);
    },
  };
}
