import type { Client } from '@tektite/client';
import { mergePatch } from '@tektite/client';
import type { DynamicObject, KubeObject, Random } from '@tektite/meta';
import { AcknowledgedObject, type Mark } from './acknowledged-object.ts';

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

export const configMap: Kind = { apiVersion: 'v1', kind: 'ConfigMap' };

/** Makes each mark once. */
export class Marks {
  private count = 0;
  next(): string {
    this.count += 1;
    return `m${this.count}`;
  }
}

async function markOf(client: Client, kind: Kind, namespace: string, name: string): Promise<Mark> {
  const found = await client.getOrUndefined(kind, { namespace, name });
  return (found as (DynamicObject & { data: { mark: string } }) | undefined)?.data.mark;
}

/** Writes objects of one kind in one namespace, with every verb, one after the other. */
export class ObjectWriter {
  readonly objects: readonly AcknowledgedObject[];
  private readonly kind: Kind;
  private readonly namespace: string;
  private readonly random: Random;
  private readonly marks: Marks;

  constructor(kind: Kind, namespace: string, names: readonly string[], random: Random, marks: Marks) {
    this.kind = kind;
    this.namespace = namespace;
    this.objects = names.map((name) => new AcknowledgedObject(name));
    this.random = random;
    this.marks = marks;
  }

  /** Compares what there is with what was acknowledged, after a restart. */
  async check(client: Client): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const object of this.objects) {
      const found = object.observe(await markOf(client, this.kind, this.namespace, object.name));
      if (found !== undefined) wrong.push(found);
    }
    return wrong;
  }

  /** One write of a random object. False: the server did not answer. */
  async writeOnce(client: Client): Promise<boolean> {
    const object = this.objects[this.pick(this.objects.length)] as AcknowledgedObject;
    const key = { namespace: this.namespace, name: object.name };
    const verb = this.pick(object.mark === undefined ? 2 : 4);
    if (object.mark !== undefined && verb === 3) return object.write(undefined, () => client.delete(this.kind, key));
    const mark = this.marks.next();
    const whole = { ...this.kind, metadata: key, data: { mark } } as KubeObject;
    return object.write(mark, async () => {
      if (verb === 0) return client.apply(whole, { force: true });
      if (object.mark === undefined) return client.create(whole);
      if (verb === 1) return client.update({ ...(await client.get(this.kind, key)), data: { mark } } as KubeObject);
      return client.patch(this.kind, key, mergePatch({ data: { mark } }));
    });
  }

  private pick(below: number): number {
    return Math.floor(this.random.next() * below);
  }
}
