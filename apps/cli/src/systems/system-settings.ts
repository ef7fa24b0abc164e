import type { ImageMapping } from '@tektite/node';

/** Options of the command line for the built-in systems. */
export interface SystemSettings {
  /** The folder of payloads. Default: the variable KO_DATA_PATH. */
  readonly payload?: string;
  readonly allowInsecureManifests?: boolean;
  readonly allowPrivateManifests?: boolean;
  readonly additionalManifestsClusterScope?: boolean;
  /** Images of this machine: pipelines does not ask registries for their commands. */
  readonly imageMapping?: ImageMapping;
  /** Images of the containers that Pods of TaskRuns start with. Default: names that only a node of this program knows. */
  readonly entrypointImage?: string;
  readonly nopImage?: string;
  readonly sidecarlogresultsImage?: string;
  readonly workingdirinitImage?: string;
  readonly shellImage?: string;
  readonly shellImageWin?: string;
  /** The data folder of `tektite up`. */
  readonly dataDir?: string;
  /** Nothing is kept. */
  readonly inMemory?: boolean;
}
