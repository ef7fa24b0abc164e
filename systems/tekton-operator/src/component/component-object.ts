import type { KnativeCondition, KubeObject } from '@tektite/meta';
import type { AdditionalOptions, NetworkPolicyConfig } from '../kinds/shared-fields.ts';

/** The common fields of all component specs. */
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
