import {
  cloneJson,
  equalJson,
  findCondition,
  formatTime,
  isStatusError,
  type KubeObject,
  type Clock,
  stringifyJson,
} from '@tektite/meta';
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@tektite/schema/kubernetes';
import { cleanupFinalizer, type ObjectDeleter } from '../store/object-deleter.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { Draft, Resource } from '../registry/resource.ts';
import type { ResourceTable } from '../registry/resource-table.ts';
import type { WriteContext } from '../store/write-context.ts';
import type { Storage } from '../storage/storage.ts';
import { decideNames, hasUndecidedNames, namesInUse } from './accepted-names.ts';
import { Converter, type WebhookConversion } from './converter.ts';
import { customResource } from './custom-resource.ts';

export interface DefinitionControllerParts {
  readonly storage: Storage;
  readonly objects: ObjectStore;
  readonly deleter: ObjectDeleter;
  readonly resources: ResourceTable;
  readonly clock: Clock;
  /** Reaches the conversion webhook of a CRD. */
  readonly webhook?: (crd: CustomResourceDefinition) => WebhookConversion | undefined;
  readonly onError: (error: unknown) => void;
}

type Conditions = readonly CustomResourceDefinitionCondition[];

/**
 * Turns CustomResourceDefinitions into served resources: accepts or rejects their names, reports it in their status,
 * and deletes instances before a definition is deleted. Level-triggered: each pass reads the current definition.
 */
export class DefinitionController {
  private readonly parts: DefinitionControllerParts;
  private readonly definitions: Resource;
  private subscription: Disposable | undefined;
  /** The served resources of each definition, with their spec. */
  private readonly served = new Map<
    string,
    { readonly key: string; readonly paths: readonly (readonly [string, string, string])[] }
  >();
  /** Callbacks for the deletion of each definition. */
  private readonly retirements = new Map<string, Set<() => void>>();
  private queue: Promise<void> = Promise.resolve();
  private readonly queued = new Set<string>();
  private stopped = false;

  constructor(parts: DefinitionControllerParts) {
    this.parts = parts;
    this.definitions = parts.resources.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Resource;
  }

  /** Serves what is established, then follows changes. */
  start(): void {
    const { storage } = this.parts;
    const prefix = this.definitions.storagePrefix;
    for (const { value } of storage.list(prefix).entries) {
      this.serve(value as CustomResourceDefinition);
      this.enqueue(value.metadata.name as string);
    }
    this.subscription = storage.watch(prefix, storage.revision, ({ value, deleted }) => {
      if (deleted) this.retire(value.metadata.name as string);
      else this.serve(value as CustomResourceDefinition);
      this.enqueue(value.metadata.name as string);
    });
  }

  /** An instance went away; a definition may have waited for that. */
  instanceDeleted(resource: Resource): void {
    if (resource.custom && resource.terminating) this.enqueue(`${resource.plural}.${resource.group}`);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.subscription?.[Symbol.dispose]();
    await this.queue;
  }

  private enqueue(name: string): void {
    if (this.queued.has(name)) return;
    this.queued.add(name);
    this.queue = this.queue.then(async () => {
      this.queued.delete(name);
      if (this.stopped) return;
      try {
        await this.reconcile(name);
      } catch (error) {
        if (!this.stopped && !isStatusError(error, 'NotFound')) this.parts.onError(error);
      }
    });
  }

  private async reconcile(name: string): Promise<void> {
    const entry = this.parts.storage.get(`${this.definitions.storagePrefix}${name}`);
    if (!entry) {
      this.enqueueUndecided();
      return;
    }
    const crd = entry.value as CustomResourceDefinition;
    if (crd.metadata.deletionTimestamp !== undefined) await this.finalize(crd);
    else await this.acceptNames(crd);
  }

  private async acceptNames(crd: CustomResourceDefinition): Promise<void> {
    const { acceptedNames, condition } = decideNames(crd, namesInUse(this.all(), crd.spec.group));
    const before: Conditions = crd.status?.conditions ?? [];
    const now = formatTime(this.parts.clock.now());
    const wasEstablished = findCondition(before, 'Established')?.status === 'True';
    const established =
      condition.status === 'True'
        ? {
            type: 'Established',
            status: 'True',
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          }
        : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
    let conditions = setCondition(before, condition, now);
    if (!wasEstablished) conditions = setCondition(conditions, established, now);
    const stored = (crd.spec.versions ?? []).find(({ storage }) => storage)?.name;
    const storedVersions = [...new Set([...(crd.status?.storedVersions ?? []), ...(stored ? [stored] : [])])];
    const isReleased = !equalJson(crd.status?.acceptedNames, acceptedNames);
    await this.writeStatus(crd, { conditions, acceptedNames, storedVersions });
    if (isReleased) this.enqueueUndecided(crd.metadata.name);
  }

  /** Names that were taken may be free now. */
  private enqueueUndecided(except?: string): void {
    for (const crd of this.all()) {
      const { name = '' } = crd.metadata;
      if (name !== except && hasUndecidedNames(crd)) this.enqueue(name);
    }
  }

  private all(): CustomResourceDefinition[] {
    const { entries } = this.parts.storage.list(this.definitions.storagePrefix);
    return entries.map(({ value }) => value as CustomResourceDefinition);
  }

  /** Deletes the instances; when none is left, the definition may go. */
  private async finalize(crd: CustomResourceDefinition): Promise<void> {
    if (!(crd.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
    const now = formatTime(this.parts.clock.now());
    const conditions = crd.status?.conditions ?? [];
    const inProgress = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    };
    await this.writeStatus(crd, { ...crd.status, conditions: setCondition(conditions, inProgress, now) });
    const resource = this.storedResource(crd);
    if (resource) {
      for (const { value } of this.parts.storage.list(resource.storagePrefix).entries)
        await this.deleteInstance(resource, value);
      // Instances with finalizers enqueue the definition when the last finalizer is removed.
      if (this.parts.storage.count(resource.storagePrefix) > 0) return;
    }
    const { name = '' } = crd.metadata;
    await this.parts.objects.update(
      this.definitions,
      {
        namespace: '',
        name,
        subresource: '',
        change: (old) => {
          const draft = cloneJson(old) as Draft;
          draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter(
            (finalizer) => finalizer !== cleanupFinalizer,
          );
          return draft;
        },
      },
      this.context(),
    );
  }

  private async deleteInstance(resource: Resource, { metadata }: KubeObject): Promise<void> {
    if (metadata.deletionTimestamp !== undefined) return;
    try {
      const options = { dryRun: false, wire: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' } };
      await this.parts.deleter.delete(resource, metadata.namespace ?? '', metadata.name ?? '', options, this.context());
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }

  private async writeStatus(crd: CustomResourceDefinition, status: object): Promise<void> {
    if (equalJson(crd.status, status)) return;
    const { name = '', uid } = crd.metadata;
    await this.parts.objects.update(
      this.definitions,
      {
        namespace: '',
        name,
        subresource: 'status',
        ...(uid ? { uid } : {}),
        change: (old) => ({ ...(cloneJson(old) as Draft), status: cloneJson(status) }),
      },
      this.context(),
    );
  }

  private context(): WriteContext {
    return {
      user: { name: 'system:apiserver', groups: ['system:masters'] },
      fieldManager: 'kube-apiserver',
      dryRun: false,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
      warn: () => {},
    };
  }

  /** Puts the versions of an established definition into the table of resources, in place of what was there. */
  private serve(crd: CustomResourceDefinition): void {
    const { name = '' } = crd.metadata;
    const established = findCondition(crd.status?.conditions ?? [], 'Established')?.status === 'True';
    if (!established) return;
    const key = stringifyJson([crd.spec, crd.status?.acceptedNames, crd.metadata.deletionTimestamp !== undefined]);
    if (this.served.get(name)?.key === key) return;
    this.withdraw(name);
    const resources = this.makeResources(crd);
    for (const resource of resources) this.parts.resources.add(resource);
    this.served.set(name, {
      key,
      paths: resources.map(({ group, version, plural }) => [group, version, plural] as const),
    });
  }

  /** A definition that cannot be served, although it passed all checks, must not keep others from being served. */
  private makeResources(crd: CustomResourceDefinition): Resource[] {
    try {
      const converter = new Converter(crd, Number(crd.metadata.resourceVersion), this.parts.webhook?.(crd));
      return (crd.spec.versions ?? [])
        .filter(({ served }) => served)
        .map((version) =>
          customResource(crd, version, converter, (end) => this.onRetired(crd.metadata.name ?? '', end)),
        );
    } catch (error) {
      this.parts.onError(error);
      return [];
    }
  }

  private onRetired(name: string, end: () => void): Disposable {
    const waiting = this.retirements.get(name) ?? new Set();
    this.retirements.set(name, waiting.add(end));
    return { [Symbol.dispose]: () => waiting.delete(end) };
  }

  /** The definition was deleted, and its instances before it: their watchers have those events. */
  private retire(name: string): void {
    this.withdraw(name);
    const waiting = this.retirements.get(name) ?? [];
    this.retirements.delete(name);
    for (const end of waiting) end();
  }

  private withdraw(name: string): void {
    for (const [group, version, plural] of this.served.get(name)?.paths ?? [])
      this.parts.resources.remove(group, version, plural);
    this.served.delete(name);
  }

  private storedResource(crd: CustomResourceDefinition): Resource | undefined {
    const stored = (crd.spec.versions ?? []).find(({ storage }) => storage);
    return stored && customResource(crd, stored, new Converter(crd, Number(crd.metadata.resourceVersion)));
  }
}

type NewCondition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>;

function setCondition(conditions: Conditions, condition: NewCondition, now: string): Conditions {
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const existing = conditions[at];
  const lastTransitionTime =
    existing && existing.status === condition.status ? (existing.lastTransitionTime ?? now) : now;
  const next: CustomResourceDefinitionCondition = {
    type: condition.type,
    status: condition.status,
    lastTransitionTime,
    ...(condition.reason === undefined ? {} : { reason: condition.reason }),
    ...(condition.message === undefined ? {} : { message: condition.message }),
  };
  return at < 0 ? [...conditions, next] : conditions.with(at, next);
}
