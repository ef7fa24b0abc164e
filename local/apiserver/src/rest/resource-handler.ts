import {
  badRequestError,
  forbiddenError,
  type Clock,
  isStatusError,
  type KubeObject,
  methodNotSupportedError,
  notFoundError,
  StatusError,
  unknownPathError,
} from '@tektite/meta';
import type { Authorizer } from '../auth/authorizer.ts';
import type { AdmissionChain } from '../admission/admission.ts';
import { notFoundPage } from '../discovery/discovery.ts';
import type { ObjectDeleter } from '../store/object-deleter.ts';
import { checkNamespace, metadataOf } from '../store/draft-metadata.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { type Draft, errorTarget, type Resource, storageKey } from '../registry/resource.ts';
import type { WriteContext } from '../store/write-context.ts';
import type { Storage } from '../storage/storage.ts';
import type { ApiResponse } from '../request/api-response.ts';
import { type DeleteOptions, parseDeleteOptions } from '../request/delete-options.ts';
import { checkGetRevision, listObjects, listPrefix } from './list.ts';
import { parseListParameters } from './list-options.ts';
import { negotiate, objectTransforms } from '../request/negotiate.ts';
import { parseWriteOptions, type WriteOptions } from '../request/options.ts';
import { patchObject } from './patch/patch-object.ts';
import { checkName } from './patch/patched.ts';
import { createAuthorizer } from './create-authorizer.ts';
import { readDeleteBody } from './delete-body.ts';
import { readObject } from './read-body.ts';
import { fieldManagerOf, type RequestContext } from './request-context.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { Responder } from './respond.ts';
import { selection } from './selection.ts';
import { openWatch } from './watch.ts';

/** The dependencies of the verbs. */
export interface RestParts {
  readonly storage: Storage;
  readonly objects: ObjectStore;
  readonly deleter: ObjectDeleter;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
}

/** Answers requests for a subresource that is not simply a view of the object; `undefined`: this one is after all. */
export type SubresourceHandler = (context: RequestContext, resource: Resource) => Promise<ApiResponse | undefined>;

/** Answers the verbs of stored resources: one object, a list, a watch, a write. */
export class ResourceHandler {
  private readonly parts: RestParts;
  private readonly subresources: ReadonlyMap<string, SubresourceHandler>;

  /** `subresources` are keyed `resource.group/subresource`, or `any/subresource` for all resources. */
  constructor(parts: RestParts, subresources: ReadonlyMap<string, SubresourceHandler>) {
    this.parts = parts;
    this.subresources = subresources;
  }

  async handle(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info } = context;
    if (info.parts.length > 3 && info.subresource !== 'proxy') throw unknownPathError();
    if (!resource.namespaced && info.namespace !== '' && resource.plural !== 'namespaces') return outOfScope(resource);
    if (info.subresource !== '') return this.handleSubresource(context, resource);
    if (resource.namespaced && info.namespace === '' && info.name !== '') throw unknownPathError();
    if (resource.custom && resource.namespaced && info.namespace === '' && !acrossNamespaces.has(info.verb))
      return notFoundPage;
    if (!resource.verbs.includes(info.verb)) throw methodNotAllowedError();
    if (info.verb === 'deletecollection' && resource.namespaced && info.namespace === '') throw methodNotAllowedError();
    const own = await this.subresources.get(`${resource.plural}.${resource.group}/`)?.(context, resource);
    if (own) return own;
    switch (info.verb) {
      case 'get':
        return this.get(context, resource);
      case 'list':
        return this.list(context, resource);
      case 'watch':
        return this.watch(context, resource);
      case 'create':
        return this.create(context, resource);
      case 'update':
        return this.update(context, resource);
      case 'patch':
        return this.patch(context, resource);
      case 'delete':
        return this.delete(context, resource);
      case 'deletecollection':
        return this.deleteCollection(context, resource);
      default:
        throw methodNotAllowedError();
    }
  }

  private async handleSubresource(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info } = context;
    const declared = resource.subresources.find(({ name }) => name === info.subresource);
    if (resource.namespaced && info.namespace === '') throw unknownPathError();
    if (!declared) throw resource.custom ? notFoundError(errorTarget(resource), info.name) : unknownPathError();
    // A proxy passes on OPTIONS too, which is no verb of its own.
    const isOptions = context.request.method === 'OPTIONS' && declared.name === 'proxy';
    if (!declared.verbs.includes(info.verb) && !isOptions)
      throw resource.custom ? methodNotSupportedError(errorTarget(resource), info.verb) : methodNotAllowedError();
    const handler =
      this.subresources.get(`${resource.plural}.${resource.group}/${info.subresource}`) ??
      this.subresources.get(`any/${info.subresource}`);
    const own = await handler?.(context, resource);
    if (own) return own;
    // Only views of the object are answered with the object. Access to anything else does not include it.
    if (declared.kind !== resource.kind || declared.group !== undefined) throw notServedError(info);
    switch (info.verb) {
      case 'get':
        return this.get(context, resource);
      case 'update':
        return this.update(context, resource);
      case 'patch':
        return this.patch(context, resource);
      default:
        throw methodNotSupportedError(errorTarget(resource), info.verb);
    }
  }

  private refuseWhileTerminating({ info }: RequestContext, resource: Resource, draft: Draft): void {
    if (!resource.terminating) return;
    throw forbiddenError(
      errorTarget(resource),
      draft.metadata?.name ?? info.name,
      'create not allowed while custom resource definition is terminating',
    );
  }

  private responder(context: RequestContext, resource: Resource): Responder {
    const { headers, query } = context.request;
    const { verb } = context.info;
    const check = resource.custom ? 'serializer' : verb === 'list' || verb === 'watch' ? 'collection-routes' : 'routes';
    const form = negotiate(headers.accept, objectTransforms, !resource.custom, check);
    return new Responder(resource, form, query, this.parts.clock.now(), context.request.user === undefined);
  }

  private async get(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info, request } = context;
    const respond = this.responder(context, resource);
    checkGetRevision(this.parts.storage, request.query.get('resourceVersion') ?? '');
    if (resource.fromStorage)
      return respond.object(200, await this.parts.objects.get(resource, info.namespace, info.name));
    const entry = this.parts.storage.get(storageKey(resource, info.namespace, info.name));
    if (!entry) throw notFoundError(errorTarget(resource), info.name);
    return respond.entry(entry);
  }

  private async list(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const respond = this.responder(context, resource);
    const parameters = parseListParameters(context.request.query, false);
    return respond.list(await listObjects(this.parts.storage, resource, context.info.namespace, parameters));
  }

  private async watch(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info, request } = context;
    const respond = this.responder(context, resource);
    const parameters = parseListParameters(request.query, true);
    const selects = selection(resource, parameters.labelSelector, parameters.fieldSelector);
    const one = info.name === '' ? undefined : storageKey(resource, info.namespace, info.name);
    const prefix = listPrefix(resource, info.namespace);
    const { stored } = selects;
    const named =
      one === undefined
        ? stored
        : (object: KubeObject) => object.metadata.name === info.name && (!stored || stored(object));
    return respond.watch(
      openWatch(this.parts, { resource, prefix, parameters, selects: { ...selects, stored: named } }),
    );
  }

  private async create(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info, request } = context;
    if (info.name !== '' && !resource.custom) throw methodNotAllowedError();
    if (resource.namespaced && info.namespace === '') throw methodNotAllowedError();
    const respond = this.responder(context, resource);
    const options = parseWriteOptions(request.query, 'CreateOptions');
    const draft = readObject(context, resource, options.fieldValidation);
    this.refuseWhileTerminating(context, resource, draft);
    const object = await this.parts.objects.create(resource, info.namespace, draft, writeContext(context, options));
    return respond.object(201, object);
  }

  private async update(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info, request } = context;
    const respond = this.responder(context, resource);
    const options = parseWriteOptions(request.query, 'UpdateOptions');
    if (info.name === '') {
      if (resource.custom) throw badRequestError('name must be provided');
      throw methodNotAllowedError();
    }
    const draft = readObject(context, resource, options.fieldValidation);
    const meta = metadataOf(draft);
    checkNamespace(resource, info.namespace, meta);
    checkName(context, draft);
    const written = await this.parts.objects.update(
      resource,
      {
        namespace: info.namespace,
        name: info.name,
        subresource: info.subresource,
        change: () => structuredClone(draft),
        createIfAbsent: resource.strategy.allowCreateOnUpdate === true && isObjectPath(info.subresource),
        createOptions: { ...options.wire, kind: 'CreateOptions' },
        ...(meta.uid ? { uid: meta.uid } : {}),
      },
      { ...writeContext(context, options), authorizeCreate: createAuthorizer(this.parts.authorizer, context) },
    );
    return respond.object(written.created ? 201 : 200, written.object);
  }

  private async patch(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    if (context.info.name === '' && !resource.custom) throw methodNotAllowedError();
    const respond = this.responder(context, resource);
    const written = await patchObject(this.parts, context, resource);
    return respond.object(written.created ? 201 : 200, written.object);
  }

  private async delete(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info } = context;
    const respond = this.responder(context, resource);
    const options = parseDeleteOptions(context.request.query, readDeleteBody(context));
    const result = await this.parts.deleter.delete(
      resource,
      info.namespace,
      info.name,
      options,
      deleteContext(context, options),
    );
    return respond.object(200, result);
  }

  /** Deletes the listed objects, one by one. An object that another client has deleted counts as deleted. */
  private async deleteCollection(context: RequestContext, resource: Resource): Promise<ApiResponse> {
    const { info, request } = context;
    const respond = this.responder(context, resource);
    const options = parseDeleteOptions(request.query, readDeleteBody(context));
    const page = await listObjects(
      this.parts.storage,
      resource,
      info.namespace,
      parseListParameters(request.query, false),
    );
    this.parts.deleter.warnOfOrphans(resource, options, deleteContext(context, options));
    for (const { metadata } of page.objects) {
      try {
        await this.parts.deleter.delete(
          resource,
          metadata.namespace ?? '',
          metadata.name ?? '',
          options,
          deleteContext(context, options),
          { name: '' },
        );
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
    }
    return respond.list(page);
  }
}

/** The verbs that custom resources take for all namespaces together. */
const acrossNamespaces: ReadonlySet<string> = new Set(['list', 'watch']);

export function writeContext(context: RequestContext, options: WriteOptions): WriteContext {
  return {
    user: context.user,
    fieldManager: fieldManagerOf(context, options.fieldManager),
    dryRun: options.dryRun,
    options: options.wire,
    warn: (text) => context.warnings.add(text),
    annotate: context.annotate,
  };
}

function deleteContext(context: RequestContext, options: DeleteOptions): WriteContext {
  return {
    user: context.user,
    fieldManager: '',
    dryRun: options.dryRun,
    options: options.wire,
    warn: (text) => context.warnings.add(text),
    annotate: context.annotate,
  };
}

/** A namespaced path of something that is not in a namespace. */
function outOfScope(resource: Resource): ApiResponse {
  if (resource.custom) return notFoundPage;
  throw unknownPathError();
}

/** A subresource that exists on a cluster, and that this server has nothing behind. */
function notServedError({ resource, subresource }: RequestInfo): StatusError {
  return new StatusError({
    code: 501,
    reason: '',
    message: `${resource}/${subresource} is not supported by this server; Pods of this machine are reached at their address`,
  });
}

/** A path that exists, with a method that does not. */
export function methodNotAllowedError(): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

/** Where a kind may be created by an update, its status may be, too: upstream's strategy is one for both. */
function isObjectPath(subresource: string): boolean {
  return subresource === '' || subresource === 'status';
}
