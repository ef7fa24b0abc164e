import { type Client, kinds } from '@tektite/client';
import { ControllerError } from '../controller-error.ts';
import { WaitList } from '../cache/wait-list.ts';
import { type ConfigEvents, type ConfigHealth, WatchedConfig } from './watched-config.ts';
import type { ConfigDefinition } from './define-config.ts';

export interface ConfigStoreOptions {
  /** Where the ConfigMaps are. */
  readonly namespace: string;
  readonly definitions: readonly ConfigDefinition[];
  /** Names of ConfigMaps without which there is no value. For all others, an absent ConfigMap means defaults. */
  readonly required?: readonly string[];
  /** Records invalid values, on the ConfigMap. An `EventRecorder` is one. */
  readonly events?: ConfigEvents;
  /** Called with every error of a value or a subscriber, for logs: a setting is not in force. */
  readonly onError?: (error: Error) => void;
  /** Called when a ConfigMap cannot be watched, for logs. Its last value stays in force. */
  readonly onWatchError?: (error: Error) => void;
}

/**
 * Typed ConfigMaps that follow the API.
 *
 * Guarantees
 * - `get` gives the newest value that could be parsed. A bad one changes nothing: the last good value stays, an Event
 *   on the ConfigMap says so, and `health` shows it until a good one arrives.
 * - A ConfigMap that is absent or was deleted means defaults, unless it is required; then the last value stays.
 * - Before the first good value there is none: `synced` waits, `get` throws `CONFIG_NOT_READY`. Nothing ever runs on
 *   defaults because of a typing error.
 * - Subscribers are called after `get` gives the new value, once per change of the settings; changes of labels, of the
 *   `_example` and the like are none. One that throws does not keep the others from being called.
 * - Values are frozen. After `stop` no subscriber is called and nothing is left.
 *
 * Each ConfigMap is watched alone, by its name, so that a role can be restricted to these names.
 *
 * @example await using configs = new ConfigStore(client, { namespace: 'tekton-pipelines', definitions: [featureFlags]
 * }); await configs.start().synced(signal); configs.get(featureFlags).apiFields; // typed
 * configs.subscribe(featureFlags, (flags) => queueEverything(flags));
 */
export class ConfigStore implements AsyncDisposable {
  private readonly configs = new Map<string, WatchedConfig<unknown>>();
  private readonly waiting = new WaitList();

  constructor(client: Client, options: ConfigStoreOptions) {
    const { namespace, definitions, required = [], onError = () => {}, onWatchError = () => {} } = options;
    for (const definition of definitions) {
      if (this.configs.has(definition.name)) throw new Error(`the ConfigMap ${definition.name} is defined twice`);
      const config = new WatchedConfig(definition, {
        isRequired: required.includes(definition.name),
        informer: { client, kind: kinds.ConfigMap, namespace },
        ...(options.events ? { events: options.events } : {}),
        onError,
        onWatchError,
        onChange: () => this.waiting.check(),
      });
      this.configs.set(definition.name, config);
    }
    const stranger = required.find((name) => !this.configs.has(name));
    if (stranger !== undefined) throw new Error(`the ConfigMap ${stranger} is required but not defined`);
  }

  /** Starts to watch, once. */
  start(): this {
    for (const config of this.configs.values()) config.start();
    return this;
  }

  /** Resolves when every definition has a value. Rejects with the signal's reason, or `INFORMER_STOPPED`. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.waiting.until(() => [...this.configs.values()].every(({ hasValue }) => hasValue), signal);
  }

  /** The value in force. */
  get<T>(definition: ConfigDefinition<T>): T {
    return this.find(definition).value;
  }

  /** Calls with every value that comes into force from now on. */
  subscribe<T>(definition: ConfigDefinition<T>, listener: (value: T, before: T) => void): Disposable {
    return this.find(definition).subscribe(listener);
  }

  /** How each ConfigMap is doing, by name. */
  health(): ReadonlyMap<string, ConfigHealth> {
    return new Map([...this.configs].map(([name, config]) => [name, config.health()]));
  }

  async stop(): Promise<void> {
    this.waiting.close(new ControllerError('INFORMER_STOPPED', 'the configuration is no longer watched'));
    await Promise.all([...this.configs.values()].map((config) => config.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private find<T>(definition: ConfigDefinition<T>): WatchedConfig<T> {
    const config = this.configs.get(definition.name);
    if (config?.definition !== definition)
      throw new ControllerError('CONFIG_NOT_READY', `the ConfigMap ${definition.name} is not watched here`);
    return config as WatchedConfig<T>;
  }
}
