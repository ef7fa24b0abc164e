import type { Client, KindReference } from '@tektite/client';
import { equalJson, isStatusError, type KubeObject } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import type { InformerHealth } from '../cache/informer-health.ts';
import { Informer } from '../cache/informer.ts';
import { ControllerError } from '../controller-error.ts';
import { configData } from './config-map-data.ts';
import type { ConfigData, ConfigDefinition } from './define-config.ts';

/** Takes Events about objects. */
export interface ConfigEvents {
  event(
    about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
    text: { readonly type?: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
  ): void;
}

/** How a typed ConfigMap is doing. */
export interface ConfigHealth {
  /**
   * `loading` before anything is known; `defaults` when there is no such ConfigMap; `missing` when there is none but should
   * be; `loaded`; `invalid` when the newest cannot be used.
   */
  readonly state: 'loading' | 'defaults' | 'missing' | 'loaded' | 'invalid';
  /** Whether the value in force is what the API says. */
  readonly healthy: boolean;
  /** Of the ConfigMap that the value in force comes from. */
  readonly resourceVersion: string | undefined;
  /** The error of the newest value. */
  readonly error: Error | undefined;
  readonly watch: InformerHealth;
}

export interface WatchedConfigParts {
  readonly isRequired: boolean;
  readonly informer: { readonly client: Client; readonly kind: KindReference<ConfigMap>; readonly namespace: string };
  readonly events?: ConfigEvents;
  readonly onError: (error: Error) => void;
  readonly onWatchError: (error: Error) => void;
  /** The health or the value is another. */
  readonly onChange: () => void;
}

/** One typed ConfigMap, followed. */
export class WatchedConfig<T> {
  readonly definition: ConfigDefinition<T>;
  private readonly parts: WatchedConfigParts;
  private readonly informer: Informer<ConfigMap>;
  private readonly listeners = new Set<(value: T, before: T) => void>();
  private state: ConfigHealth['state'] = 'loading';
  private error: Error | undefined;
  private current: { readonly value: T; readonly data: ConfigData; readonly version: string | undefined } | undefined;

  constructor(definition: ConfigDefinition<T>, parts: WatchedConfigParts) {
    this.definition = definition;
    this.parts = parts;
    const { client, kind, namespace } = parts.informer;
    const fieldSelector = `metadata.name=${definition.name}`;
    // A watch that expired is resumed with a list: nothing failed.
    const onError = (error: Error) => {
      if (!isStatusError(error, 'Expired')) parts.onWatchError(error);
    };
    this.informer = new Informer(client, kind, { namespace, fieldSelector, onError });
  }

  get hasValue(): boolean {
    return this.current !== undefined;
  }

  get value(): T {
    if (this.current) return this.current.value;
    const why = this.error ? `: ${this.error.message}` : '';
    throw new ControllerError('CONFIG_NOT_READY', `the ConfigMap ${this.definition.name} has no value yet${why}`, {
      cause: this.error,
    });
  }

  start(): void {
    if (this.informer.health().state !== 'idle') return;
    this.informer.addHandler({
      added: (object) => this.take(object),
      modified: (object) => this.take(object),
      deleted: () => this.absent(),
    });
    this.informer.start();
    // Stopped before it came so far: nothing to do.
    this.informer.synced().then(
      () => this.state === 'loading' && this.absent(),
      () => undefined,
    );
  }

  subscribe(listener: (value: T, before: T) => void): Disposable {
    // Each subscription is one, even of the same function.
    const own = (value: T, before: T) => listener(value, before);
    this.listeners.add(own);
    return { [Symbol.dispose]: () => void this.listeners.delete(own) };
  }

  health(): ConfigHealth {
    const watch = this.informer.health();
    const healthy = watch.healthy && (this.state === 'loaded' || this.state === 'defaults');
    return { state: this.state, healthy, resourceVersion: this.current?.version, error: this.error, watch };
  }

  async stop(): Promise<void> {
    this.listeners.clear();
    await this.informer.stop();
  }

  private take(configMap: ConfigMap): void {
    const data = configData(configMap);
    let value: T;
    try {
      value = this.definition.parse(data);
    } catch (cause) {
      this.refuse(cause, configMap);
      return;
    }
    const wasInvalid = this.state === 'invalid';
    this.put('loaded', { value, data, version: configMap.metadata.resourceVersion });
    if (!wasInvalid) return;
    const message = `the settings of ${this.definition.name} can be used again and are in force`;
    this.parts.events?.event(named(configMap), { type: 'Normal', reason: 'ConfigurationAccepted', message });
  }

  private refuse(cause: unknown, configMap: ConfigMap): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.state = 'invalid';
    this.error = new ControllerError('CONFIG_INVALID', `ConfigMap ${this.definition.name}: ${reason}`, { cause });
    const outcome = this.current ? 'the settings from before stay in force' : 'nothing starts before this is corrected';
    const message = `${reason}; ${outcome}`;
    this.parts.onError(this.error);
    this.parts.events?.event(named(configMap), { type: 'Warning', reason: 'InvalidConfiguration', message });
    this.parts.onChange();
  }

  /** There is no such ConfigMap. */
  private absent(): void {
    if (this.parts.isRequired) {
      this.state = 'missing';
      this.error = new ControllerError('CONFIG_INVALID', `there is no ConfigMap ${this.definition.name}`);
      this.parts.onError(this.error);
      this.parts.onChange();
      return;
    }
    try {
      this.put('defaults', { value: this.definition.parse({}), data: {}, version: undefined });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.state = 'missing';
      this.error = new ControllerError('CONFIG_INVALID', `without a ConfigMap ${this.definition.name}: ${reason}`, {
        cause,
      });
      this.parts.onError(this.error);
      this.parts.onChange();
    }
  }

  private put(state: 'loaded' | 'defaults', next: NonNullable<WatchedConfig<T>['current']>): void {
    const before = this.current;
    this.state = state;
    this.error = undefined;
    const isSame = before !== undefined && equalJson(before.data, next.data);
    this.current = isSame ? { ...next, value: before.value } : next;
    this.parts.onChange();
    if (before === undefined || isSame) return;
    for (const listener of this.listeners) this.notify(listener, next.value, before.value);
  }

  private notify(listener: (value: T, before: T) => void, value: T, before: T): void {
    try {
      listener(value, before);
    } catch (cause) {
      const message = `a subscriber of the ConfigMap ${this.definition.name} threw`;
      this.parts.onError(new ControllerError('HANDLER_FAILED', message, { cause }));
    }
  }
}

function named(configMap: ConfigMap): Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: configMap.metadata };
}
