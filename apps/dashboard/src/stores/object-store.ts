import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Clock, KubeObject } from '@tektite/meta';
import { ApiError, type KubeApi } from '../api/kube-api.ts';
import { LiveCollection, type LiveState } from '../api/live-collection.ts';
import { collectionPath, objectPath, type Resource, withQuery } from '../api/resource.ts';
import type { PlannedComponent, ToolApi } from '../api/tool-answers.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';
import { yamlText } from './yaml-text.ts';

/** An edit on its way: typed, checked by the server, written; or denied. */
export type EditState =
  | { readonly phase: 'none' }
  | { readonly phase: 'typing'; readonly error?: string; readonly isConflict?: boolean }
  | {
      readonly phase: 'checked';
      readonly diff: readonly DiffLine[];
      /** Of a TektonConfig: what the operator would do, or why that is not known. */
      readonly components?: readonly PlannedComponent[] | undefined;
      readonly planError?: string | undefined;
    }
  | { readonly phase: 'busy' };

export interface ObjectStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
  /** Plans changes of a TektonConfig, where there is one. */
  readonly tools?: ToolApi;
}

/** One object of any kind: live, and edited as YAML. The server reads the YAML, so that the page and kubectl agree on it. */
export class ObjectStore {
  readonly edit = signal<EditState>({ phase: 'none' });
  readonly text = signal('');
  private readonly path: string;
  private readonly api: KubeApi;
  private readonly tools: ToolApi | undefined;
  /** The object that the edit began with. */
  private base: KubeObject | undefined;
  private readonly collection: LiveCollection<KubeObject>;

  constructor(resource: Resource, namespace: string | undefined, name: string, options: ObjectStoreOptions) {
    this.api = options.api;
    this.tools = options.tools;
    this.path = objectPath(resource, namespace, name);
    this.collection = new LiveCollection<KubeObject>({
      ...options,
      path: collectionPath(resource, namespace),
      fieldSelector: `metadata.name=${name}`,
      summarize: shown,
    }).start();
  }

  readonly object: ReadonlySignal<KubeObject | undefined> = computed(() => {
    void this.collection.version.value;
    return [...this.collection.items.values()][0];
  });

  readonly state: ReadonlySignal<LiveState | 'missing'> = computed(() => {
    const state = this.collection.state.value;
    return state === 'live' && !this.object.value ? 'missing' : state;
  });

  readonly error: ReadonlySignal<string | undefined> = computed(() => this.collection.error.value?.message);

  /** Begins an edit with the object as it is now; its resourceVersion makes later changes of others a conflict. */
  begin(): void {
    this.base = this.object.value;
    this.text.value = yamlText(this.object.value);
    this.edit.value = { phase: 'typing' };
  }

  cancel(): void {
    this.edit.value = { phase: 'none' };
  }

  /** Has the server check the edit without writing it, and shows the difference. */
  async check(): Promise<void> {
    const before = this.object.value;
    await this.put('All', async (checked) => {
      const diff = lineDiff(yamlText(withoutVersion(before)), yamlText(withoutVersion(shown(checked))));
      this.edit.value = { phase: 'checked', diff, ...(await this.planConfig(checked)) };
    });
  }

  private async planConfig({ kind }: KubeObject): Promise<Omit<EditState & { phase: 'checked' }, 'phase' | 'diff'>> {
    if (kind !== 'TektonConfig' || !this.tools) return {};
    try {
      return await this.tools.call('plan-config', { yaml: this.text.value });
    } catch (error) {
      return { planError: (error as Error).message };
    }
  }

  async save(): Promise<void> {
    await this.put(undefined, () => (this.edit.value = { phase: 'none' }));
  }

  stop(): void {
    this.collection.stop();
  }

  /**
   * Whether an edit met a change of the status alone, as controllers make them all the time: then it goes on from the object as it is
   * now, and does not bother its user.
   */
  private async isOnlyStatus(failure: unknown): Promise<boolean> {
    if (!(failure instanceof ApiError) || failure.code !== 409) return false;
    // Of a kind without this, an edit would write the status, too, as it was.
    const live = await this.api.get<KubeObject>(`${this.path}/status`).catch(() => undefined);
    if (!live || userPart(live) !== userPart(this.base)) return false;
    const before = this.text.value;
    this.text.value = before.replace(/^( {2}resourceVersion: ).*$/m, `$1"${live.metadata.resourceVersion}"`);
    return this.text.value !== before;
  }

  private async put(dryRun: 'All' | undefined, done: (written: KubeObject) => unknown): Promise<void> {
    this.edit.value = { phase: 'busy' };
    const path = withQuery(this.path, { dryRun, fieldManager: 'tektite-dashboard' });
    const write = () => {
      const options = { body: this.text.value, contentType: 'application/yaml' };
      return this.api.write<KubeObject>('PUT', path, options);
    };
    try {
      const written = await write().catch(async (error: unknown) => {
        if (await this.isOnlyStatus(error)) return write();
        throw error;
      });
      await done(written);
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === 409;
      this.edit.value = { phase: 'typing', error: (error as Error).message, isConflict };
    }
  }
}

/** The part of an object that users write. */
function userPart(object: KubeObject | undefined): string {
  const { status: _, metadata, ...rest } = (object ?? { metadata: {} }) as KubeObject & { readonly status?: unknown };
  const { resourceVersion: __, generation: ___, managedFields: ____, ...named } = metadata;
  return yamlText({ ...rest, metadata: named });
}

/** Without managedFields, which no one reads; the values of Secrets stay, for those who may read them. */
function shown(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withoutVersion(object: KubeObject | undefined): unknown {
  if (!object) return {};
  const { resourceVersion: _, generation: __, ...metadata } = object.metadata;
  const { apiVersion, kind, metadata: ___, ...rest } = object;
  return { apiVersion, kind, metadata, ...rest };
}
