import { equalJson } from '@tektite/meta';
import type { Pod, Volume, VolumeProjection } from '@tektite/schema/kubernetes';
import type { AgentParts } from './agent-parts.ts';
import { podReference } from './container-launcher.ts';
import type { ObjectReferenceKey } from './referenced-objects.ts';

/** Pods that end sooner are not worth a watch: what their volumes show was read when they started. */
const followAfterMs = 1000;

/** Keeps the files of a Pod's volumes as its ConfigMaps, Secrets, tokens and own metadata are. */
export class VolumeFollower implements Disposable {
  private readonly parts: AgentParts;
  private readonly directory: string;
  private readonly leases: Disposable[] = [];
  private pod: Pod;
  private timer: Disposable | undefined;
  private refreshing: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(pod: Pod, directory: string, parts: AgentParts) {
    this.pod = pod;
    this.directory = directory;
    this.parts = parts;
    if (references(pod).length > 0 || hasTokens(pod))
      this.timer = parts.clock.setTimer(followAfterMs, () => this.follow());
  }

  update(pod: Pod): void {
    const { labels, annotations } = this.pod.metadata;
    const before = { labels, annotations };
    this.pod = pod;
    if (!equalJson(before, { labels: pod.metadata.labels, annotations: pod.metadata.annotations })) this.refresh();
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await this.refreshing;
  }

  [Symbol.dispose](): void {
    this.closed = true;
    this.timer?.[Symbol.dispose]();
    for (const lease of this.leases) lease[Symbol.dispose]();
  }

  private follow(): void {
    if (this.closed) return;
    for (const key of references(this.pod)) this.leases.push(this.parts.references.follow(key, () => this.refresh()));
    this.awaitToken();
  }

  private awaitToken(): void {
    const due = this.parts.tokens.renewalTime(this.pod.metadata.uid ?? '');
    if (due === undefined || this.closed) return;
    this.timer?.[Symbol.dispose]();
    this.timer = this.parts.clock.setTimer(Math.max(1000, due - this.parts.clock.now()), () => {
      this.refresh();
      void this.refreshing?.then(() => this.awaitToken());
    });
  }

  private refresh(): void {
    this.again = true;
    this.refreshing ??= this.run().finally(() => {
      this.refreshing = undefined;
    });
  }

  private async run(): Promise<void> {
    const { volumes, environment, tokens, events } = this.parts;
    while (this.again && !this.closed) {
      this.again = false;
      const problems = await volumes.refresh(this.pod, this.directory, { ...environment, tokens });
      // A deleted ConfigMap of a running Pod is not an error of the Pod; an Event reports it.
      for (const { message } of problems)
        events.event(podReference(this.pod), { type: 'Warning', reason: 'FailedMount', message });
    }
  }
}

function references(pod: Pod): ObjectReferenceKey[] {
  const namespace = pod.metadata.namespace ?? '';
  return (pod.spec?.volumes ?? [])
    .flatMap(sourcesOf)
    .flatMap(({ configMap, secret }): ObjectReferenceKey[] => [
      ...(configMap ? [{ kind: 'ConfigMap' as const, namespace, name: configMap.name ?? '' }] : []),
      ...(secret ? [{ kind: 'Secret' as const, namespace, name: secret.name ?? '' }] : []),
    ]);
}

function sourcesOf({ configMap, secret, projected }: Volume): VolumeProjection[] {
  return [
    ...(configMap ? [{ configMap }] : []),
    ...(secret ? [{ secret: { name: secret.secretName ?? '' } }] : []),
    ...(projected?.sources ?? []),
  ];
}

function hasTokens({ spec }: Pod): boolean {
  return (spec?.volumes ?? []).flatMap(sourcesOf).some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
}
