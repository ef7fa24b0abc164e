import {
  badRequestError,
  cloneJson,
  equalJson,
  formatTime,
  internalServerError,
  invalid,
  invalidObjectError,
  type KubeObject,
  labelSelectorOf,
  type ManagedFieldsEntry,
  type Mutable,
  StatusError,
} from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { builtinSchema, type Definition, findBuiltinDefinition, type Scale } from '@tektite/schema/kubernetes';
import {
  applyConfiguration,
  type ManagedResource,
  updateManagedFields,
  type WriteInfo,
} from '../../apply/field-manager.ts';
import { formatKind, formatObject } from '../../apply/format-object.ts';
import { setOf } from '../../apply/field-set.ts';
import { decodeObject } from '../../codec/decode-object.ts';
import { readJsonPath } from '../../json-path/json-path.ts';
import { strategyOf } from '../../registry/kinds/index.ts';
import { setManagedFields } from '../../store/draft-metadata.ts';
import type { ObjectView } from '../../store/update-request.ts';
import { checkUid } from '../../store/preconditions.ts';
import { apiVersionOf, type Draft, type Resource, type ScalePaths, storageKey } from '../../registry/resource.ts';
import { negotiate, objectTransforms } from '../../request/negotiate.ts';
import { type PatchOptions, parsePatchOptions, parseWriteOptions, type WriteOptions } from '../../request/options.ts';
import { checkConfiguration } from '../patch/apply-change.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import { patchTypeOf } from '../patch/patch-type.ts';
import type { Patched } from '../patch/patched.ts';
import { readPatchBody } from '../patch/patch-body.ts';
import { fieldManagerOf, type RequestContext } from '../request-context.ts';
import { Responder } from '../respond.ts';
import { methodNotAllowedError, type RestParts, type SubresourceHandler, writeContext } from '../resource-handler.ts';
import { type ReplicasPath, replicasPathOf, toParentOwners, toScaleOwners } from './scale-owners.ts';
import { readTypedBody } from './typed-body.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const builtinPaths: ScalePaths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

/** `/scale`: the number of replicas of whatever has one, in one form for all kinds. */
export function scaleHandler(parts: RestParts): SubresourceHandler {
  return async (context, resource) => {
    const { headers, query } = context.request;
    const form = negotiate(
      headers.accept,
      objectTransforms,
      !resource.custom,
      resource.custom ? 'serializer' : 'routes',
    );
    const respond = new Responder(
      { ...resource, strategy: strategyOf(scaleKind.group, scaleKind.version, scaleKind.kind) ?? {} },
      form,
      query,
      parts.clock.now(),
    );
    return respond.object(200, (await answer(parts, context, resource)) as KubeObject);
  };
}

async function answer(parts: RestParts, context: RequestContext, resource: Resource): Promise<Scale> {
  const { info, request } = context;
  switch (info.verb) {
    case 'get':
      return toScale(resource, await parts.objects.get(resource, info.namespace, info.name), true);
    case 'update': {
      const options = parseWriteOptions(request.query, 'UpdateOptions');
      const wanted = readTypedBody<Scale>(context, scaleKind);
      return write(parts, context, resource, options, (object) =>
        updateScale(parts, context, resource, object, checked(context, resource, object, wanted), options),
      );
    }
    case 'patch': {
      const type = patchTypeOf(context, resource);
      const options = parsePatchOptions(request.query, type === 'apply');
      const body = readPatchBody(request.body ?? new Uint8Array(), type);
      if (type === 'apply')
        return write(
          parts,
          context,
          resource,
          options,
          configuredScale(parts, context, resource, body.value as Draft, options),
        );
      return write(parts, context, resource, options, (object) => {
        const live = resource.custom ? (toScale(resource, object, false) as KubeObject) : ownedScale(resource, object);
        const patched = applyPatch(context, patchedScale, type, live, body, options) as Scale;
        return updateScale(parts, context, resource, object, checked(context, resource, object, patched), options);
      });
    }
    default:
      throw methodNotAllowedError();
  }
}

function configuredScale(
  parts: RestParts,
  context: RequestContext,
  resource: Resource,
  config: Draft,
  options: PatchOptions,
): (object: KubeObject) => Draft {
  checkConfiguration(scaleKind, config);
  return (object) => applyScale(parts, context, resource, object, config as Scale, options);
}

const scaleDefinition = findBuiltinDefinition(scaleKind.group, scaleKind.version, scaleKind.kind) as Definition;

/** A Scale as something to patch. */
const patchedScale: Patched = {
  ...scaleKind,
  custom: false,
  schema: builtinSchema(scaleDefinition.key) as JsonSchema,
  decode: (document) => {
    const { object, strictErrors } = decodeObject(scaleDefinition, document);
    return { object: object as Draft, strictErrors };
  },
};

function checked({ info }: RequestContext, resource: Resource, object: KubeObject, scale: Scale): Scale {
  const { name, namespace = '', uid = '' } = scale.metadata;
  if (name === undefined || name === '')
    throw badRequestError(
      `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
    );
  if (name !== info.name)
    throw badRequestError(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  if (namespace !== '' && namespace !== info.namespace)
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  if (uid !== '') checkUid(resource, storageKey(resource, info.namespace, info.name), info.name, object, uid);
  // Built-in kinds have their Scale validated; custom ones are left to their schema.
  const { replicas = 0 } = scale.spec ?? {};
  if (!resource.custom && replicas < 0) {
    const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalidObjectError(scaleKind.group, scaleKind.kind, name, [error]);
  }
  return scale;
}

async function write(
  parts: RestParts,
  context: RequestContext,
  resource: Resource,
  options: WriteOptions,
  change: (object: KubeObject) => Draft,
): Promise<Scale> {
  const { namespace, name } = context.info;
  const { object } = await parts.objects.update(
    resource,
    {
      namespace,
      name,
      subresource: 'scale',
      change: (old) => change(old as KubeObject),
      ownManagedFields: true,
      view: scaleView(resource),
    },
    writeContext(context, options),
  );
  return toScale(resource, object, false);
}

/** Admission sees the Scale, before and after, and may change the number in it. */
function scaleView(resource: Resource): ObjectView {
  return {
    kind: scaleKind,
    show: (object) => toScale(resource, object, false),
    take(object, view) {
      const { replicas } = (view as Scale).spec ?? {};
      setReplicas(resource, object, replicas ?? 0);
    },
  };
}

function pathsOf(resource: Resource): ScalePaths {
  return resource.scale ?? builtinPaths;
}

function toScale(resource: Resource, object: KubeObject, strict: boolean): Scale {
  const paths = pathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readJsonPath(object, paths.specReplicasPath);
  if (strict && resource.custom && replicas === undefined)
    throw internalServerError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
  const selector = selectorOf(resource, object, paths);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: Number(readJsonPath(object, paths.statusReplicasPath) ?? 0),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

function selectorOf(resource: Resource, object: KubeObject, paths: ScalePaths): string {
  if (resource.custom)
    return paths.labelSelectorPath ? String(readJsonPath(object, paths.labelSelectorPath) ?? '') : '';
  const { selector } = (object as { spec?: { selector?: object } }).spec ?? {};
  if (selector === undefined) return '';
  // ReplicationControllers have a plain map where the others have a selector.
  const isMap = resource.group === '' && resource.plural === 'replicationcontrollers';
  return labelSelectorOf(isMap ? { matchLabels: selector as Record<string, string> } : selector).toString();
}

function setReplicas(resource: Resource, draft: Draft, replicas: number): void {
  const names = pathsOf(resource)
    .specReplicasPath.split('.')
    .filter((name) => name !== '');
  let at: Record<string, unknown> = draft;
  for (const name of names.slice(0, -1)) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    at = isMapping(next) ? next : setOwn(at, name, {});
  }
  setOwn(at, names.at(-1) as string, replicas);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The path is whatever a definition says: `__proto__` too is only a name. */
function setOwn<T>(object: object, name: string, value: T): T {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

function withReplicas(resource: Resource, object: KubeObject, scale: Scale): Draft {
  const draft = cloneJson(object) as Draft;
  setReplicas(resource, draft, scale.spec?.replicas ?? 0);
  const { resourceVersion } = scale.metadata;
  if (resourceVersion !== undefined) draft.metadata.resourceVersion = resourceVersion;
  return draft;
}

/** A Scale as something that managers own fields of. */
const managedScale: ManagedResource = {
  ...scaleKind,
  schema: builtinSchema('autoscaling/v1.Scale') as JsonSchema,
  subresource: 'scale',
  ignored: setOf(['f:status']),
};

type OwnedScale = KubeObject & Record<string, unknown>;

/** The Scale of an object, with the owners of its replicas. */
function ownedScale(resource: Resource, object: KubeObject): OwnedScale {
  const scale = toScale(resource, object, false);
  const managedFields = toScaleOwners(object.metadata.managedFields, replicasPath(resource));
  return { ...scale, metadata: { ...scale.metadata, ...(managedFields.length > 0 ? { managedFields } : {}) } };
}

function replicasPath(resource: Resource): ReplicasPath {
  return replicasPathOf(pathsOf(resource).specReplicasPath);
}

/** Passes the owners of a changed Scale on to the object. */
function ownReplicas(
  resource: Resource,
  object: KubeObject,
  draft: Draft,
  owners: readonly ManagedFieldsEntry[] | undefined,
): Draft {
  const { managedFields } = object.metadata;
  const entries = toParentOwners(managedFields, owners, apiVersionOf(resource), replicasPath(resource));
  setManagedFields(draft, entries as Mutable<ManagedFieldsEntry[]>);
  return draft;
}

/** The object with the replicas of an updated or patched Scale. */
function updateScale(
  parts: RestParts,
  context: RequestContext,
  resource: Resource,
  object: KubeObject,
  scale: Scale,
  options: WriteOptions,
): Draft {
  const write = writeInfo(parts, context, options);
  const live = ownedScale(resource, object);
  const { managedFields: _, ...metadata } = scale.metadata;
  const owners = updateManagedFields(managedScale, live, { ...scale, metadata } as OwnedScale, write);
  return ownReplicas(resource, object, withReplicas(resource, object, scale), owners);
}

/** Applies a Scale: the manager of an object's replicas also owns those of its Scale, and the other way round. */
function applyScale(
  parts: RestParts,
  context: RequestContext,
  resource: Resource,
  object: KubeObject,
  config: Scale,
  options: PatchOptions,
): Draft {
  const live = ownedScale(resource, object);
  const write = writeInfo(parts, context, options);
  const applied = applyConfiguration(managedScale, live, config as OwnedScale, write, options.force);
  if (resource.custom) refuseConversion(live, applied.object, config);
  checked(context, resource, object, applied.object as Scale);
  return ownReplicas(resource, object, withReplicas(resource, object, applied.object as Scale), applied.managedFields);
}

/** Upstream's field managers cannot convert the Scale of a custom resource, once there is something to convert. */
function refuseConversion(live: OwnedScale, applied: KubeObject, config: KubeObject): void {
  const hasOwners = (live.metadata.managedFields ?? []).length > 0;
  const { managedFields: _, ...metadata } = live.metadata;
  if (hasOwners && equalJson({ ...live, metadata }, applied)) return;
  const message = hasOwners
    ? `failed to convert new object (${formatObject(config)})`
    : `failed to create manager for existing fields: failed to convert live object (/; ${formatKind(config)})`;
  throw new StatusError({
    code: 500,
    message: `${message} to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  });
}

function writeInfo(parts: RestParts, context: RequestContext, { fieldManager }: WriteOptions): WriteInfo {
  return { manager: fieldManagerOf(context, fieldManager), time: formatTime(parts.clock.now()) };
}
