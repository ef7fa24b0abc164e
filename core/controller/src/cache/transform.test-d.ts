import { type Client, kinds } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { expectTypeOf } from 'expect-type';
import { Informer } from './informer.ts';
import { metadataOnly, project, strip } from './transform.ts';

declare const client: Client;

/** Type tests; nothing here runs. */
export function promises(): void {
  const whole = new Informer(client, kinds.Pod);
  expectTypeOf(whole.store.get('a')).toEqualTypeOf<Pod | undefined>();

  const slim = new Informer(client, kinds.Pod, {
    transform: project(kinds.Pod, {
      metadata: { labels: true },
      spec: { nodeName: true, containers: { name: true } },
      status: { conditions: true },
    }),
  });
  const [pod] = slim.store.list();
  if (!pod) return;

  // Declared fields have the types they had.
  expectTypeOf(pod.metadata.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(pod.metadata.resourceVersion).toEqualTypeOf<string | undefined>();
  expectTypeOf(pod.metadata.labels).toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
  expectTypeOf(pod.spec?.nodeName).toEqualTypeOf<string | undefined>();
  expectTypeOf(pod.spec?.containers?.[0]?.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(pod.status?.conditions).toEqualTypeOf<NonNullable<Pod['status']>['conditions']>();

  // All others are not there.
  expectTypeOf(pod.metadata).not.toHaveProperty('annotations');
  expectTypeOf<NonNullable<typeof pod.spec>>().not.toHaveProperty('volumes');
  expectTypeOf<NonNullable<typeof pod.status>>().not.toHaveProperty('phase');
  // @ts-expect-error the image was not declared
  void pod.spec?.containers?.[0]?.image;

  // Index functions and handlers see the same.
  slim.addIndex('node', (pod) => {
    // @ts-expect-error the host was not declared
    void pod.spec?.hostname;
    return pod.spec?.nodeName ? [pod.spec.nodeName] : [];
  });

  // Fields that do not exist cannot be declared.
  // @ts-expect-error there is no such field
  project(kinds.Pod, { spec: { nodName: true } });

  // The type of a transform shows what it strips.
  const stripped = new Informer(client, kinds.Pod, { transform: strip<Pod> });
  expectTypeOf(stripped.store.list()[0]?.spec).toEqualTypeOf<Pod['spec'] | undefined>();
  // @ts-expect-error managed fields are stripped
  void stripped.store.list()[0]?.metadata.managedFields;
  const metadata = new Informer(client, kinds.Pod, { transform: metadataOnly });
  // @ts-expect-error there is nothing but metadata
  void metadata.store.list()[0]?.spec;
}
