import { type Client, isClientError } from '@tektite/client';
import { isStatusError, type KubeObject, type Random } from '@tektite/meta';
import { configMap, type Kind, type Marks, ObjectWriter } from './object-writer.ts';

/** A namespace or a definition: what it holds is deleted with it. */
export interface Holder {
  readonly object: KubeObject;
  readonly childKind: Kind;
  readonly childNamespace: string;
}

const group = 'durability.example.com';

export function namespaceHolder(name: string): Holder {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return { object, childKind: configMap, childNamespace: name };
}

export function definitionHolder(plural: string): Holder {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  } as KubeObject;
  return { object, childKind: { apiVersion: `${group}/v1`, kind }, childNamespace: 'default' };
}

/** Creates a holder, fills it, deletes it, waits until it is deleted, and starts from the beginning. */
export class HolderWriter {
  /** How often it was deleted in full. */
  generations = 0;
  private readonly holder: Holder;
  private readonly random: Random;
  private readonly marks: Marks;
  private phase: 'absent' | 'creating' | 'present' | 'deleting' = 'absent';
  private isDeleteAcknowledged = false;
  private children: ObjectWriter;

  constructor(holder: Holder, random: Random, marks: Marks) {
    this.holder = holder;
    this.random = random;
    this.marks = marks;
    this.children = this.newChildren();
  }

  /** Compares what there is with what was acknowledged, after a restart. */
  async check(client: Client): Promise<readonly string[]> {
    const found = await this.read(client);
    const { phase } = this;
    const { kind, metadata } = this.holder.object;
    if (phase === 'absent' && found === 'absent') return [];
    if (phase === 'creating' && found !== 'deleting') {
      this.phase = found;
      return [];
    }
    if (phase === 'present' && found === 'present') return this.children.check(client);
    if (phase === 'deleting' && (found !== 'present' || !this.isDeleteAcknowledged)) {
      this.phase = found === 'present' ? 'present' : 'deleting';
      return found === 'present' ? this.children.check(client) : [];
    }
    return [`${kind} ${metadata.name} was ${phase} and is ${found}`];
  }

  /** The next step. False: the server did not answer. */
  async writeOnce(client: Client): Promise<boolean> {
    try {
      return await this.step(client);
    } catch (error) {
      if (isStatusError(error) && error.code !== 503) throw error;
      return false;
    }
  }

  private async step(client: Client): Promise<boolean> {
    const { object } = this.holder;
    const key = { name: object.metadata.name ?? '' };
    if (this.phase === 'absent') {
      this.phase = 'creating';
      await client.create(object);
      this.phase = 'present';
    } else if (this.phase === 'deleting') {
      if ((await this.read(client)) !== 'absent') return true;
      this.phase = 'absent';
      this.generations += 1;
      this.children = this.newChildren();
    } else if (this.random.next() < 0.1) {
      this.phase = 'deleting';
      this.isDeleteAcknowledged = false;
      await client.delete(object, key);
      this.isDeleteAcknowledged = true;
    } else return this.writeChild(client);
    return true;
  }

  /** A kind is served a moment after its definition was created. */
  private async writeChild(client: Client): Promise<boolean> {
    try {
      const { items } = await client.list(this.holder.childKind, { namespace: this.holder.childNamespace });
      const names = new Set(this.children.objects.map(({ name }) => name));
      const old = items
        .map(({ metadata }) => metadata.name ?? '')
        .filter((name) => /^g\d+-/.test(name) && !names.has(name));
      if (old.length > 0) throw new Error(`${old.join()} came back with ${this.holder.object.metadata.name}`);
    } catch (error) {
      if (isStatusError(error, 'NotFound') || isClientError(error, 'UNKNOWN_KIND')) return true;
      throw error;
    }
    return this.children.writeOnce(client);
  }

  private newChildren(): ObjectWriter {
    const { childKind, childNamespace } = this.holder;
    const names = ['a', 'b'].map((name) => `g${this.generations}-${name}`);
    return new ObjectWriter(childKind, childNamespace, names, this.random, this.marks);
  }

  private async read(client: Client): Promise<'absent' | 'present' | 'deleting'> {
    const { object } = this.holder;
    const found = await client.getOrUndefined(object, { name: object.metadata.name ?? '' });
    if (!found) return 'absent';
    return found.metadata.deletionTimestamp ? 'deleting' : 'present';
  }
}
