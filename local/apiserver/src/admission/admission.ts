import { forbiddenError, type GroupVersionKind, type KubeObject, type StatusError } from '@tektite/meta';
import { type Draft, errorTarget, type Resource } from '../registry/resource.ts';
import type { Annotate } from '../audit/auditor.ts';
import type { UserInfo } from '../request/api-request.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way to the storage, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly subresource: string;
  /** The kind of `object` where it is not the resource's own: a Scale, a Binding. */
  readonly kind?: GroupVersionKind;
  /** The namespace it happens in. For a Namespace this is its own name, as it is upstream. */
  readonly namespace: string;
  /** Empty when the name is yet to be generated, and for each object of a deletecollection. */
  readonly name: string;
  /** Absent for DELETE. The options of a CONNECT have no metadata. */
  readonly object?: Draft;
  /** Absent for CREATE. */
  readonly oldObject?: KubeObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request; CONNECT has none. */
  readonly options: Readonly<Record<string, unknown>> | null;
  /** Collects what is sent back as `Warning` headers. */
  readonly warn: (text: string) => void;
  /** Absent where the request is not audited. */
  readonly annotate?: Annotate | undefined;
}

/** Whether a request is about that resource, in any version. */
export function isResource({ resource }: AdmissionRequest, group: string, plural: string): boolean {
  return resource.group === group && resource.plural === plural;
}

/** The kind of the object under review. */
export function kindOf({ kind, resource }: AdmissionRequest): GroupVersionKind {
  return kind ?? { group: resource.group, version: resource.version, kind: resource.kind };
}

/** A denial by a plugin, in the usual form. An object without a name yet is named by its generateName. */
export function admissionForbidden(request: AdmissionRequest, reason: string): StatusError {
  const { name, generateName } = request.object?.metadata ?? {};
  return forbiddenError(errorTarget(request.resource), request.name || name || generateName || 'Unknown', reason);
}

/**
 * One pass of a request through the mutating plugins. Webhooks that change an object may make a second pass necessary:
 * every plugin gets to see what they did, once.
 */
export interface MutationRound {
  readonly isSecond: boolean;
  requestSecond(): void;
  /** State that a plugin keeps from the first pass to the second. */
  readonly memory: Map<string, unknown>;
}

/**
 * One link of the admission chain. `mutate` changes `request.object` in place; `validate` throws a StatusError to refuse.
 * Both may be called more than once for one request and must not depend on order within their phase.
 */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` names it. */
  readonly name: string;
  mutate?(request: AdmissionRequest, round: MutationRound): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** Runs plugins in their order: first every `mutate`, later, on the final object, every `validate`. */
export class AdmissionChain {
  private readonly plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const memory = new Map<string, unknown>();
    let again = false;
    const requestSecond = () => {
      again = true;
    };
    await this.mutateOnce(request, { isSecond: false, requestSecond, memory });
    if (again) await this.mutateOnce(request, { isSecond: true, requestSecond, memory });
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.plugins) {
      const pending = plugin.validate?.(request);
      if (pending) await pending;
    }
  }

  private async mutateOnce(request: AdmissionRequest, round: MutationRound): Promise<void> {
    for (const plugin of this.plugins) {
      const pending = plugin.mutate?.(request, round);
      if (pending) await pending;
    }
  }
}
