import {
  authorizerType,
  boolType,
  type CelEnvironment,
  type CelType,
  celEnvironment,
  declare,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  overload,
  type Program,
  requestResourceType,
  stringType,
  structType,
  timestampType,
  type Value,
} from '@tektite/schema';

function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return structType(`kubernetes.${name}`, new Map(Object.entries(fields)));
}

const strings = listType(stringType);
const groupVersionKind = struct('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const groupVersionResource = struct('GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});
const userInfo = struct('UserInfo', {
  username: stringType,
  uid: stringType,
  groups: strings,
  extra: mapType(stringType, strings),
});

const requestType = struct('AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo,
  dryRun: boolType,
  options: dynType,
});

const namespaceType = struct('Namespace', {
  metadata: struct('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType, stringType),
    annotations: mapType(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: struct('NamespaceSpec', { finalizers: strings }),
  status: struct('NamespaceStatus', {
    conditions: listType(
      struct('NamespaceCondition', {
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

/** Which variables expressions have besides `object`, `oldObject`, `request` and `namespaceObject`. */
export interface AdmissionEnvironmentOptions {
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** The type of `variables`; its fields may be filled in later. */
  readonly variables?: CelType;
  /** Types that expressions may name and build. */
  readonly types?: readonly CelType[];
  /** How they are built. */
  readonly makeStruct?: (typeName: string, fields: ReadonlyMap<string, Value>) => Value;
}

/** Makes a key of an object a part of a JSON Patch path; there for those who build patches. */
const escapeKey = declare(
  'jsonpatch.escapeKey',
  overload('string_jsonpatch_escapeKey_string', [stringType], stringType, (key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ),
);

/** Where expressions about requests are understood. */
export function admissionEnvironment(options: AdmissionEnvironmentOptions): CelEnvironment {
  return celEnvironment({
    variables: {
      object: dynType,
      oldObject: dynType,
      request: requestType,
      namespaceObject: namespaceType,
      ...(options.hasParams ? { params: dynType } : {}),
      ...(options.hasAuthorizer
        ? { authorizer: authorizerType, 'authorizer.requestResource': requestResourceType }
        : {}),
      ...(options.variables ? { variables: options.variables } : {}),
    },
    types: [requestType, namespaceType, ...(options.variables ? [options.variables] : []), ...(options.types ?? [])],
    ...(options.makeStruct ? { makeStruct: options.makeStruct } : {}),
    ...(options.types ? { functions: [escapeKey] } : {}),
  });
}

/** An expression and what became of it: a program of a type, or the reason why there is none. */
export interface CompiledExpression {
  readonly text: string;
  readonly program?: Program;
  readonly type?: CelType;
  readonly error?: string;
}

/** Compiles an expression that must give one of the types; no types: any. */
export function compileExpression(
  environment: CelEnvironment,
  text: string,
  types: readonly CelType[],
): CompiledExpression {
  const compilation = environment.compile(text);
  if (!compilation.program) return { text, error: `compilation failed: ${compilation.error}` };
  const { program } = compilation;
  const { type } = compilation.checked;
  if (types.length === 0 || types.some((wanted) => formatType(wanted) === formatType(type)))
    return { text, program, type };
  const wanted = types.map(nameOf);
  const reason =
    wanted.length === 1 ? `must evaluate to ${wanted[0]}` : `must evaluate to one of [${wanted.join(' ')}]`;
  return { text, error: `${reason} but got ${nameOf(type)}` };
}

/** A type as it calls itself: null has another name in errors of the checker. */
function nameOf(type: CelType): string {
  return type.kind === 'null_type' ? type.kind : formatType(type);
}
