import type { ObjectOf } from '@tektite/schema';
import {
  CrdSchemas,
  defineStructKind,
  Field,
  go,
  knativeStatusFields,
  type Struct,
  type StructKind,
  type StructValue,
} from '@tektite/schema/struct';
import { fieldDescription, kindDescriptions } from './descriptions/field-description.ts';
import { Param } from './param.ts';
import { RefSource } from './run-status.ts';

const specFields = {
  params: go.list(Param.pinned('v1')).in({ v1alpha1: go.map(go.string()) }),
  /** The name of a reference that looks like a URL. */
  url: go.string().only('v1beta1'),
};
/** The reference that a resolver fetches. A label names the resolver. */
export interface ResolutionRequestSpec extends StructValue<typeof specFields> {}
const ResolutionRequestSpec: Struct<ResolutionRequestSpec> = go.struct('ResolutionRequestSpec', specFields);

/** A pointer that is printed as `null`. */
const source = new Field<RefSource | null>(go.pointer(RefSource.pinned('v1')).typeIn).required().schemaless();
const requestStatusFields = {
  ...knativeStatusFields,
  ...go.embed('ResolutionRequestStatusFields', {
    /** In base64. */
    data: go.string().required(),
    /** The same as `refSource`, under its old name. */
    source: source.only('v1beta1'),
    refSource: source,
  }),
};
export interface ResolutionRequestStatus extends StructValue<typeof requestStatusFields> {}
const ResolutionRequestStatus: Struct<ResolutionRequestStatus> = go.struct(
  'ResolutionRequestStatus',
  requestStatusFields,
);

const succeeded = (field: string) => `.status.conditions[?(@.type=='Succeeded')].${field}`;
const outcomeColumns = [
  { name: 'Succeeded', type: 'string', jsonPath: succeeded('status') },
  { name: 'Reason', type: 'string', jsonPath: succeeded('reason') },
] as const;

const shared = {
  description: kindDescriptions['ResolutionRequest'] ?? '',
  group: 'resolution.tekton.dev',
  categories: ['tekton', 'tekton-pipelines'],
  schemas: new CrdSchemas(fieldDescription),
  struct: go.struct('ResolutionRequest', {
    metadata: go.objectMeta(),
    spec: ResolutionRequestSpec.validated(),
    status: ResolutionRequestStatus,
  }),
  descriptions: {
    spec: 'What to fetch. A label names the resolver.',
    status: 'The content, or the reason why there is none.',
  },
};

/** `resolution.tekton.dev/v1beta1`: the stored version. */
export const ResolutionRequest = defineStructKind({
  ...shared,
  version: 'v1beta1',
  columns: [
    { name: 'OwnerKind', type: 'string', jsonPath: '.metadata.ownerReferences[0].kind' },
    { name: 'Owner', type: 'string', jsonPath: '.metadata.ownerReferences[0].name' },
    ...outcomeColumns,
    { name: 'StartTime', type: 'string', jsonPath: '.metadata.creationTimestamp' },
    { name: 'EndTime', type: 'string', jsonPath: succeeded('lastTransitionTime') },
  ],
});

export const ResolutionRequestV1alpha1: StructKind = defineStructKind({
  ...shared,
  version: 'v1alpha1',
  deprecated: true,
  columns: outcomeColumns,
});

/** A request for a definition that is not in this cluster, and in the end its content. */
export interface ResolutionRequestObject extends ObjectOf<typeof ResolutionRequest> {}

/** The label that names the resolver of a ResolutionRequest. */
export const resolverTypeLabel = 'resolution.tekton.dev/type';
