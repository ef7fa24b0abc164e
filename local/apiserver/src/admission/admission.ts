import type { KubeObject } from '@tektite/meta';
import type { Draft, Resource } from '../registry/resource.ts';
import type { UserInfo } from '../rest/api-request.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way to the storage, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent for DELETE. */
  readonly object?: Draft;
  /** Absent for CREATE. */
  readonly oldObject?: KubeObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Collects what is sent back as `Warning` headers. */
  readonly warn: (text: string) => void;
}

/** Whether a request is about that resource, in any version. */
export function isResource({ resource }: AdmissionRequest, group: string, plural: string): boolean {
  return resource.group === group && resource.plural === plural;
}

/**
 * One link of the admission chain. `mutate` changes `request.object` in place; `validate` throws a StatusError to refuse.
 * Both may be called more than once for one request and must not depend on order within their phase.
 */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` names it. */
  readonly name: string;
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** Runs plugins in their order: first every `mutate`, later, on the final object, every `validate`. */
export class AdmissionChain {
  private readonly plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.plugins) {
      const pending = plugin.mutate?.(request);
      if (pending) await pending;
    }
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.plugins) {
      const pending = plugin.validate?.(request);
      if (pending) await pending;
    }
  }
}
