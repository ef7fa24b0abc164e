/** What users say on the command line about systems that come with it. */
export interface SystemSettings {
  /** The folder of payloads. Default: the variable KO_DATA_PATH. */
  readonly payload?: string;
  readonly allowInsecureManifests?: boolean;
  readonly allowPrivateManifests?: boolean;
  readonly additionalManifestsClusterScope?: boolean;
}
