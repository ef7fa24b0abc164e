import type { Condition, ObjectMeta } from '@tektite/meta';
import type { JsonSchema } from '../structural-schema.ts';

/** `CustomResourceDefinition` of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
}

export interface CustomResourceDefinitionSpec {
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly CustomResourceDefinitionVersion[];
  readonly conversion?: CustomResourceConversion;
  readonly preserveUnknownFields?: boolean;
}

export interface CustomResourceDefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface CustomResourceDefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface CustomResourceSubresources {
  readonly status?: Readonly<Record<string, never>>;
  readonly scale?: ScaleSubresource;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One column of a table. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date' | (string & {});
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface SelectableField {
  readonly jsonPath: string;
}

export interface CustomResourceConversion {
  readonly strategy: 'None' | 'Webhook';
  readonly webhook?: WebhookConversion;
}

export interface WebhookConversion {
  readonly clientConfig?: {
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
    readonly caBundle?: string;
  };
  readonly conversionReviewVersions?: readonly string[];
}

export interface CustomResourceDefinitionStatus {
  readonly conditions?: readonly Condition[] | null;
  readonly acceptedNames?: Partial<CustomResourceDefinitionNames>;
  readonly storedVersions?: readonly string[];
}
