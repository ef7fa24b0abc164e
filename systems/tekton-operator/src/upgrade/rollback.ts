import { type Client, kinds } from '@tektite/client';
import { controllerReference, type DynamicObject, findCondition } from '@tektite/meta';
import type { ControllerRevision } from '@tektite/schema/kubernetes';
import type { PlannedSets } from '../component/component-description.ts';
import type { ComponentObject } from '../component/component-object.ts';
import type { ObservedComponent } from '../component/observed-component.ts';
import { decideSets } from '../installer-set/decide-sets.ts';
import { keys } from '../installer-set/set-keys.ts';
import { objectsOf } from '../installer-set/shared-objects.ts';
import type { TektonInstallerSet } from '../kinds/kinds.ts';
import type { WantedSets } from '../installer-set/wanted-sets.ts';

/** How long an upgrade may take before it counts as failed. */
const patienceMs = 5 * 60_000;

/** In `status.annotations` of a component: which upgrade is under way since when, and which one failed and why. */
const startedKey = 'tektite.dev/upgrade-started';
const failedKey = 'tektite.dev/upgrade-failed';

type Annotations = Readonly<Record<string, string>>;

interface FailedUpgrade {
  readonly to: string;
  readonly release: string;
  readonly why: string;
}

/** The content of a set when it last worked. */
interface Kept {
  readonly payload: string;
  readonly hash: string;
  readonly objects: readonly DynamicObject[];
}

/**
 * Goes back to what worked when an upgrade does not become ready. What the sets held is kept before they are replaced; when the new ones
 * are not ready in time, they get it back, and stay so until something about the component changes: then it is tried again.
 */
export class Rollback<T extends ComponentObject> {
  private readonly observed: ObservedComponent<T>;
  private readonly client: Client;
  private annotations: Annotations;

  constructor(observed: ObservedComponent<T>) {
    this.observed = observed;
    this.client = observed.context.client;
    this.annotations = observed.component.status?.annotations ?? {};
  }

  /** The value of `status.annotations`. */
  get status(): Annotations {
    return this.annotations;
  }

  /** The sets to install: those that are wanted, or those that worked, when the wanted ones were tried and failed. */
  async choose(
    planned: readonly PlannedSets[],
  ): Promise<{ readonly planned: readonly PlannedSets[]; readonly failed?: FailedUpgrade }> {
    const failed = this.read<FailedUpgrade>(failedKey);
    if (!failed) return { planned };
    if (failed.to !== identityOf(planned)) {
      this.forget(failedKey);
      return { planned };
    }
    const former = await Promise.all(planned.map((item) => this.former(item)));
    return { planned: former, failed };
  }

  /** Keeps what is about to be replaced, if it works. */
  async keep(planned: readonly PlannedSets[]): Promise<void> {
    for (const { wanted } of planned) {
      const live = this.observed.sets.of(wanted.createdBy, wanted.type);
      const works =
        live.length > 0 && live.every(({ status }) => findCondition(status?.conditions, 'Ready')?.status === 'True');
      if (!works || decideSets(live, wanted) !== 'VersionDifferent') continue;
      for (const part of wanted.parts) {
        const set = live.find(({ metadata }) => metadata.name?.startsWith(part.generateName));
        if (set) await this.save(wanted, part.generateName, keptOf(set));
      }
      this.write(startedKey, { to: identityOf(planned), at: this.observed.context.clock.now() });
    }
  }

  /** Says how the sets are. Resolves with whether an upgrade has just failed. */
  judge(planned: readonly PlannedSets[], notReadyReason: string | undefined): boolean {
    const started = this.read<{ to: string; at: number }>(startedKey);
    if (!started) return false;
    if (notReadyReason === undefined || started.to !== identityOf(planned)) {
      this.forget(startedKey);
      return false;
    }
    if (this.observed.context.clock.now() - started.at < patienceMs) return false;
    const release = planned.find(({ wanted }) => wanted.payload)?.wanted.payload ?? '';
    this.forget(startedKey);
    this.write(failedKey, { to: started.to, release, why: notReadyReason });
    return true;
  }

  private async former(item: PlannedSets): Promise<PlannedSets> {
    const { wanted } = item;
    const kept = await Promise.all(wanted.parts.map(({ generateName }) => this.load(wanted, generateName)));
    const [first] = kept;
    if (!first || kept.some((part) => part === undefined)) return item;
    const { imagesHash: _images, ...rest } = wanted;
    return {
      ...item,
      wanted: {
        ...rest,
        payload: first.payload,
        hash: first.hash,
        onUpgrade: 'update',
        onChange: 'update',
        parts: wanted.parts.map((part, index) => ({ ...part, objects: kept[index]?.objects ?? [] })),
      },
    };
  }

  private key({ createdBy, type }: WantedSets, generateName: string) {
    const name = `${createdBy.toLowerCase()}-${type}-${generateName}last-good`.slice(0, 253);
    return { namespace: this.observed.namespace, name };
  }

  private async save(wanted: WantedSets, generateName: string, kept: Kept): Promise<void> {
    const key = this.key(wanted, generateName);
    const live = await this.client.getOrUndefined(kinds.ControllerRevision, key);
    // A revision is immutable: another one replaces it.
    if (live) await this.client.delete(kinds.ControllerRevision, key);
    await this.client.create(kinds.ControllerRevision, {
      metadata: { ...key, ownerReferences: [controllerReference(this.observed.component)] },
      revision: (live?.revision ?? 0) + 1,
      data: kept,
    } as unknown as ControllerRevision);
  }

  private async load(wanted: WantedSets, generateName: string): Promise<Kept | undefined> {
    const live = await this.client.getOrUndefined(kinds.ControllerRevision, this.key(wanted, generateName));
    return live?.data as Kept | undefined;
  }

  private read<V>(key: string): V | undefined {
    const text = this.annotations[key];
    if (!text) return undefined;
    try {
      return JSON.parse(text) as V;
    } catch {
      return undefined;
    }
  }

  private write(key: string, value: object): void {
    this.annotations = { ...this.annotations, [key]: JSON.stringify(value) };
  }

  private forget(key: string): void {
    const { [key]: _, ...rest } = this.annotations;
    this.annotations = rest;
  }
}

/** The identity of an attempt: another version, release or setting is another attempt. */
function identityOf(planned: readonly PlannedSets[]): string {
  return planned.map(({ wanted }) => [wanted.type, wanted.version, wanted.payload, wanted.hash].join('/')).join(' ');
}

function keptOf(set: TektonInstallerSet): Kept {
  const { annotations = {} } = set.metadata;
  return {
    payload: annotations[keys.payload] ?? '',
    hash: annotations[keys.lastAppliedHash] ?? '',
    objects: objectsOf(set),
  };
}
