import type { KubeObject } from '@tektite/meta';
import { defineKind, type Kind, s } from '@tektite/schema';
import type { Param } from './param.ts';
import type { RefSource, RunCondition } from './run-status.ts';
import { kindDescriptions } from './descriptions/field-description.ts';
import { schemaOfStruct } from './schema-of-struct.ts';
import { defineStructs } from './struct-table.ts';
import './v1-structs.ts';

/** What is to be fetched. Which resolver is asked stands in a label. */
export interface ResolutionRequestSpec {
  readonly params?: readonly Param[];
  /** The name of a reference that looks like a URL. */
  readonly url?: string;
}

export interface ResolutionRequestStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly RunCondition[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** In base64. */
  readonly data: string;
  /** The same as `refSource`, under its old name. */
  readonly source: RefSource | null;
  readonly refSource: RefSource | null;
}

/** A wish for something that is not in this cluster, and in the end its content. */
export interface ResolutionRequestObject extends KubeObject {
  readonly spec: ResolutionRequestSpec;
  readonly status?: ResolutionRequestStatus;
}

const status = {
  'Status/observedGeneration': 'int64',
  'Status/conditions': '#v1.Conditions=[]tekton/apis.Condition',
  'Status/annotations': 'map[string]string',
  'ResolutionRequestStatusFields/data': 'string!',
};
const request = {
  metadata: 'meta/v1.ObjectMeta',
  spec: '~ResolutionRequestSpec',
  status: '~ResolutionRequestStatus',
};

defineStructs('v1beta1', {
  ResolutionRequest: request,
  ResolutionRequestSpec: { params: '[]tekton/v1.Param', url: 'string' },
  ResolutionRequestStatus: {
    ...status,
    'ResolutionRequestStatusFields/source': '*tekton/v1.RefSource!?',
    'ResolutionRequestStatusFields/refSource': '*tekton/v1.RefSource!?',
  },
});

defineStructs('v1alpha1', {
  ResolutionRequest: request,
  ResolutionRequestSpec: { params: 'map[string]string' },
  ResolutionRequestStatus: { ...status, 'ResolutionRequestStatusFields/refSource': '*tekton/v1.RefSource!?' },
});

const succeeded = (field: string) => `.status.conditions[?(@.type=='Succeeded')].${field}`;
const outcomeColumns = [
  { name: 'Succeeded', type: 'string', jsonPath: succeeded('status') },
  { name: 'Reason', type: 'string', jsonPath: succeeded('reason') },
] as const;

const names = {
  description: kindDescriptions['ResolutionRequest'] ?? '',
  group: 'resolution.tekton.dev',
  kind: 'ResolutionRequest',
  categories: ['tekton', 'tekton-pipelines'],
} as const;

function fields(version: string) {
  const part = (name: string, description: string) =>
    s.raw<unknown>({ ...schemaOfStruct(`tekton/${version}.${name}`), description }).optional();
  return {
    spec: part('ResolutionRequestSpec', 'What to fetch. A label names the resolver.'),
    status: part('ResolutionRequestStatus', 'The content, or the reason why there is none.'),
  };
}

/** `resolution.tekton.dev/v1beta1`: what is stored. */
export const ResolutionRequest = defineKind({
  ...names,
  version: 'v1beta1',
  columns: [
    { name: 'OwnerKind', type: 'string', jsonPath: '.metadata.ownerReferences[0].kind' },
    { name: 'Owner', type: 'string', jsonPath: '.metadata.ownerReferences[0].name' },
    ...outcomeColumns,
    { name: 'StartTime', type: 'string', jsonPath: '.metadata.creationTimestamp' },
    { name: 'EndTime', type: 'string', jsonPath: succeeded('lastTransitionTime') },
  ],
  fields: fields('v1beta1'),
}) as unknown as Kind<ResolutionRequestObject>;

export const ResolutionRequestV1alpha1: Kind = defineKind({
  ...names,
  version: 'v1alpha1',
  deprecated: true,
  columns: outcomeColumns,
  fields: fields('v1alpha1'),
});

/** The label that names the resolver of a ResolutionRequest. */
export const resolverTypeLabel = 'resolution.tekton.dev/type';
