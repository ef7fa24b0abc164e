import {
  authorizerType,
  boolType,
  type CelEnvironment,
  type CelType,
  celEnvironment,
  dynType,
  intType,
  listType,
  mapType,
  requestResourceType,
  stringType,
  structType,
  timestampType,
} from '@tektite/schema';

const struct = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  structType(name, new Map(Object.entries(fields)));

const strings = listType(stringType);
const texts = mapType(stringType, stringType);
const groupVersion = { group: stringType, version: stringType };
const kindType = struct('kubernetes.GroupVersionKind', { ...groupVersion, kind: stringType });
const resourceType = struct('kubernetes.GroupVersionResource', { ...groupVersion, resource: stringType });
const userType = struct('kubernetes.UserInfo', {
  username: stringType,
  uid: stringType,
  groups: strings,
  extra: mapType(stringType, strings),
});

/** The variable `request`: what is asked of the server, without the objects. */
export const requestType: CelType = struct('kubernetes.AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: stringType,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: userType,
  dryRun: boolType,
  options: dynType,
});

/** The variable `namespaceObject`: the namespace of the object, without what few need. */
export const namespaceType: CelType = struct('kubernetes.Namespace', {
  metadata: struct('kubernetes.NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: texts,
    annotations: texts,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: struct('kubernetes.NamespaceSpec', { finalizers: strings }),
  status: struct('kubernetes.NamespaceStatus', {
    conditions: listType(
      struct('kubernetes.NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});

export interface ExpressionScope {
  /** Whether there are `params`. */
  readonly params?: boolean;
  /** Whether there is an `authorizer`. */
  readonly authorizer?: boolean;
  /** The types of `variables`, where a policy has any. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** Types that expressions may build. */
  readonly types?: readonly CelType[];
}

/** Where expressions of admission policies and webhooks are understood. */
export function admissionEnvironment({ params, authorizer, variables, types }: ExpressionScope): CelEnvironment {
  return celEnvironment({
    variables: {
      object: dynType,
      oldObject: dynType,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params ? { params: dynType } : {}),
      ...(authorizer ? { authorizer: authorizerType, 'authorizer.requestResource': requestResourceType } : {}),
      ...(variables ? { variables: structType('kubernetes.variables', variables) } : {}),
    },
    ...(types ? { types } : {}),
  });
}
