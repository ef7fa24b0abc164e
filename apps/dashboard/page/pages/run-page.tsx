import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app.ts';
import { ConditionList } from '../components/condition-list.tsx';
import { EventList } from '../components/event-list.tsx';
import { ExplainList } from '../components/explain-list.tsx';
import { Link } from '../components/link.tsx';
import { LogView } from '../components/log-view.tsx';
import { RunButtons } from '../components/run-buttons.tsx';
import { RunFacts } from '../components/run-facts.tsx';
import { StartPanel } from '../components/start-panel.tsx';
import { StateMark, stateWords } from '../components/state-mark.tsx';
import { TabBar } from '../components/tab-bar.tsx';
import { TaskGraph } from '../components/task-graph.tsx';
import { TaskTree } from '../components/task-tree.tsx';
import { agoText, dateText } from '../components/time-text.ts';
import { useNow } from '../components/use-now.ts';
import { Waterfall } from '../components/waterfall.tsx';
import { YamlView } from '../components/yaml-view.tsx';
import { durationText, findNode, firstTaskRun, type RunNode } from '../../src/run/index.ts';
import { runPath } from '../../src/stores/run-actions.ts';
import { RunStore } from '../../src/stores/run-store.ts';
import { runSummary, tookMs } from '../../src/stores/run-summary.ts';

interface RunPageProps {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A run: its graph, times, logs and everything else that is known of it, live. */
export function RunPage({ kind, namespace, name }: RunPageProps) {
  const { api, clock, router, schedule, session } = useApp();
  const { uid } = router.place.value.query;
  const store = useMemo(
    () => new RunStore({ kind, namespace, name }, { api, clock, schedule, tools: api, ...(uid ? { uid } : {}) }),
    [],
  );
  useEffect(() => () => store.stop(), []);
  const run = store.run.value;
  const tree = store.tree.value;
  const isMoving = tree?.state === 'running' || tree?.state === 'waiting';
  const now = useNow(isMoving ? 1000 : 0);
  if (store.state.value === 'missing')
    return (
      <div class="empty">
        <h1>
          There is no {kind} {name}
        </h1>
        <p class="muted">It may have been deleted. Its namespace is {namespace}.</p>
        {store.archiveError.value ? <p class="problem">{store.archiveError.value}</p> : null}
        <Link to="/runs">All runs</Link>
      </div>
    );
  if (!run || !tree)
    return store.error.value ? (
      <p class="problem pad">{store.error.value}</p>
    ) : (
      <div class="loading" aria-busy="true" />
    );
  const summary = runSummary(run);
  const isPipeline = kind === 'PipelineRun';
  const isArchived = store.isArchived.value;
  const { query } = router.place.value;
  const node = findNode(tree, query.task);
  const taskRun = isPipeline ? firstTaskRun(node) : tree;
  const isReadOnly = session.state.value.phase !== 'in' || session.state.value.session.isReadOnly;
  const tabs = [
    ...(isPipeline ? ([['graph', 'Graph']] as const) : []),
    ['timeline', 'Timeline'],
    ['logs', 'Logs'],
    ['details', 'Details'],
    ...(isArchived ? [] : ([['events', 'Events']] as const)),
    ['yaml', 'YAML'],
    ...(query.tab === 'start' && !isReadOnly ? ([['start', 'Start again']] as const) : []),
    ...(!isArchived && session.state.value.phase === 'in' && session.state.value.session.canExplain
      ? ([['explain', 'Explain']] as const)
      : []),
  ] as const;
  const tab = tabs.find(([id]) => id === query.tab)?.[0] ?? (isPipeline ? 'graph' : 'logs');
  const select = (task: string | undefined, to?: string) =>
    router.setQuery({ task, line: undefined, ...(to ? { tab: to } : {}) });
  const object = node ? store.objectOf(taskRun ?? node) : run;
  const took = tookMs(summary, now);
  const logs = (
    <LogView
      key={taskRun?.id ?? ''}
      steps={store.stepsOf(taskRun)}
      fileName={`${name}${query.task ? `-${query.task}` : ''}.log`}
      emptyText={emptyLogs(isPipeline, node, taskRun)}
    />
  );
  return (
    <div class="page run">
      <header class="run-head">
        <div class="run-title">
          <StateMark state={summary.state} size={22} />
          <h1>{name}</h1>
          <span class={`state-tag ${summary.state}`}>
            {summary.isCancelling ? 'Cancelling' : stateWords[summary.state]}
          </span>
          {isArchived ? <span class="state-tag">Archived</span> : null}
        </div>
        <p class="muted run-sub">
          <Link to={`/runs?namespace=${encodeURIComponent(namespace)}`}>{namespace}</Link>
          {summary.reference ? <span>{summary.reference}</span> : null}
          <time dateTime={new Date(summary.createdAt).toISOString()} title={dateText(summary.createdAt)}>
            {agoText(summary.startedAt ?? summary.createdAt, now || clock.now())}
          </time>
          <span class="number">{took === undefined ? 'not started' : durationText(took)}</span>
        </p>
        <RunButtons run={run} summary={summary} isArchived={isArchived} />
        {summary.state === 'failed' ||
        summary.state === 'cancelled' ||
        (summary.state === 'waiting' && summary.message) ? (
          <p class={summary.state === 'failed' ? 'problem' : 'note'}>{summary.message || summary.reason}</p>
        ) : null}
      </header>
      <div class={`run-body ${isPipeline ? '' : 'single'}`}>
        {isPipeline ? (
          <TaskTree
            tree={tree}
            selected={query.task}
            now={now}
            onSelect={(task) => select(task, tab === 'graph' ? 'logs' : tab)}
          />
        ) : null}
        <section class="run-main">
          <TabBar tabs={tabs} chosen={tab} onChoose={(id) => router.setQuery({ tab: id, line: undefined })} />
          <div class={`tab-body tab-${tab}`} role="tabpanel" id="tab-panel" tabIndex={0} aria-labelledby={`tab-${tab}`}>
            {tab === 'graph' ? (
              <TaskGraph
                tasks={store.tasks.value}
                selected={query.task}
                critical={new Set(isMoving ? [] : store.path.value.map(({ name: task }) => task))}
                now={now}
                onSelect={({ name: task }) => select(task, 'logs')}
              />
            ) : tab === 'timeline' ? (
              <Waterfall
                tree={tree}
                path={isMoving ? [] : store.path.value}
                parents={store.parents.value}
                now={now}
                onSelect={({ task }) => select(task || undefined, 'logs')}
              />
            ) : tab === 'logs' ? (
              logs
            ) : tab === 'details' ? (
              <>
                {node?.note ? <p class={node.state === 'failed' ? 'problem' : 'note'}>{taskNote(node)}</p> : null}
                <RunFacts object={object ?? run} />
                <ConditionList object={object ?? run} />
              </>
            ) : tab === 'start' ? (
              <StartPanel key={run.metadata.uid} object={run} />
            ) : tab === 'events' ? (
              <EventList key={object?.metadata.uid} object={object ?? run} />
            ) : tab === 'explain' ? (
              <ExplainList
                key={object?.metadata.uid}
                path={pathOf(object ?? run)}
                version={(object ?? run).metadata.resourceVersion}
              />
            ) : (
              <YamlView object={object ?? run} />
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

function pathOf({
  kind,
  metadata,
}: {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}): string {
  return runPath({ kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
}

/** Why a task waits, was skipped or failed. */
function taskNote({ name, state, note }: RunNode): string {
  return state === 'skipped' ? `${name} was skipped: ${note}` : `${name}: ${note}`;
}

function emptyLogs(isPipeline: boolean, node: RunNode | undefined, taskRun: RunNode | undefined): string {
  if (isPipeline && !node) return 'Choose a task to see its log.';
  if (node?.state === 'skipped') return `This task was skipped: ${node.note ?? ''}`;
  if (taskRun?.state === 'failed' || taskRun?.state === 'cancelled') return 'No step of this task has started.';
  return node?.note ?? 'No step has started yet.';
}
