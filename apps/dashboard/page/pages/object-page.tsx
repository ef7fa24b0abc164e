import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { ObjectTabs } from '../components/object-tabs.tsx';
import type { Resource } from '../../src/api/resource.ts';
import { ObjectStore } from '../../src/stores/object-store.ts';

interface ObjectPageProps {
  readonly resource: Resource;
  /** Empty for objects of no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** An object of any kind. */
export function ObjectPage({ resource, namespace, name }: ObjectPageProps) {
  const { api, clock, schedule } = useApp();
  const store = useMemo(
    () => new ObjectStore(resource, namespace || undefined, name, { api, clock, schedule, tools: api }),
    [],
  );
  useEffect(() => () => store.stop(), []);
  const { group, version } = resource;
  return (
    <ObjectTabs
      title={name}
      subtitle={[store.object.value?.kind, `${group ? `${group}/` : ''}${version}`, namespace]}
      store={store}
    />
  );
}
