import type { ParamType, ParamValue } from './param.ts';

/** A condition of a run. `Succeeded` says how it goes; `TrustedResourcesVerified` whether what it uses was signed. */
export interface RunCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown' | (string & {});
  readonly severity?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A result, as it was found. */
export interface RunResult {
  readonly name: string;
  readonly type?: ParamType;
  readonly value: ParamValue;
}

/** Where what is run came from, and how the controller was set. */
export interface Provenance {
  readonly refSource?: RefSource;
  readonly featureFlags?: Readonly<Record<string, string | number | boolean>>;
}

export interface RefSource {
  readonly uri?: string;
  readonly digest?: Readonly<Record<string, string>>;
  readonly entryPoint?: string;
}

export interface Artifact {
  readonly name?: string;
  readonly values?: readonly ArtifactValue[];
  readonly buildOutput?: boolean;
}

export interface ArtifactValue {
  readonly digest?: Readonly<Record<string, string>>;
  readonly uri?: string;
}

export interface Artifacts {
  readonly inputs?: readonly Artifact[];
  readonly outputs?: readonly Artifact[];
}
