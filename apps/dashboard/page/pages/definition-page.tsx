import type { PipelineSpec } from '@tektite/pipelines/runs';
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { ObjectTabs } from '../components/object-tabs.tsx';
import { StartPanel } from '../components/start-panel.tsx';
import { TaskGraph } from '../components/task-graph.tsx';
import { resources } from '../../src/api/resource.ts';
import { shownTasks } from '../../src/stores/run-store.ts';
import { ObjectStore } from '../../src/stores/object-store.ts';

interface DefinitionPageProps {
  readonly kind: 'Pipeline' | 'Task';
  readonly namespace: string;
  readonly name: string;
}

/** A Pipeline or Task: its graph, a form that starts it, its YAML. */
export function DefinitionPage({ kind, namespace, name }: DefinitionPageProps) {
  const { api, clock, schedule } = useApp();
  const resource = kind === 'Pipeline' ? resources.pipelines : resources.tasks;
  const store = useMemo(() => new ObjectStore(resource, namespace, name, { api, clock, schedule }), []);
  useEffect(() => () => store.stop(), []);
  const object = store.object.value;
  const { spec = {} } = (object ?? {}) as { spec?: PipelineSpec & { description?: string } };
  const tabs = [
    ...(kind === 'Pipeline'
      ? [{ id: 'graph', name: 'Graph', body: () => <TaskGraph tasks={shownTasks(spec)} /> }]
      : []),
    {
      id: 'start',
      name: 'Start',
      body: () => (object ? <StartPanel key={object.metadata.resourceVersion} object={object} /> : null),
    },
  ];
  return <ObjectTabs title={name} subtitle={[kind, namespace, spec.description]} store={store} more={tabs} />;
}
