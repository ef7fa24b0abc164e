import { isManifestError, loadManifest } from '@tektite/manifest';
import { PayloadError, type PayloadSource } from './payload-source.ts';

/** One release at a URL. */
export interface ReleaseUrl {
  /** The folder of the component: `tekton-pipeline`. */
  readonly folder: string;
  readonly version: string;
  readonly url: string;
  /** The hash of the file, so that it cannot be changed on the way. */
  readonly sha256?: string;
}

/** Release files from the net. They are fetched when a component first needs them. */
export function urlPayload(releases: readonly ReleaseUrl[]): PayloadSource {
  return {
    describe: `${releases.length} URLs`,
    versions: async (folder) => releases.filter((release) => release.folder === folder).map(({ version }) => version),
    async load(folder, version) {
      const release = releases.find((item) => item.folder === folder && item.version === version);
      if (!release) throw new PayloadError(`there is no URL for ${folder} ${version}`);
      const { url, sha256 } = release;
      try {
        return await loadManifest({ kind: 'url', url, ...(sha256 ? { sha256 } : {}) });
      } catch (error) {
        if (!isManifestError(error)) throw error;
        throw new PayloadError(`the payload ${folder} ${version} cannot be used: ${error.message}`, { cause: error });
      }
    },
  };
}
