import type { KnativeCondition, KubeObject } from '@tektite/meta';
import type { AdditionalOptions, NetworkPolicyConfig } from '../kinds/shared-fields.ts';

/** What every component's spec has. */
export interface ComponentSpec {
  readonly targetNamespace?: string;
  readonly options?: AdditionalOptions;
  readonly networkPolicy?: NetworkPolicyConfig;
}

export interface ComponentObject extends KubeObject {
  readonly spec?: ComponentSpec;
  readonly status?: {
    readonly version?: string;
    readonly conditions?: readonly KnativeCondition[];
    readonly observedGeneration?: number;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}
