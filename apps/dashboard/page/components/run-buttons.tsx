import type { KubeObject } from '@tektite/meta';
import { useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { commandText } from '../../src/stores/command-text.ts';
import type { RunSummary } from '../../src/stores/run-summary.ts';
import { Confirm } from './confirm.tsx';
import { runLink } from './run-row.tsx';

interface RunButtonsProps {
  readonly run: KubeObject;
  readonly summary: RunSummary;
  /** It was deleted: it can be run again, and nothing else. */
  readonly isArchived: boolean;
}

/** The actions on a run, and the commands that do the same. */
export function RunButtons({ run, summary, isArchived }: RunButtonsProps) {
  const { actions, notices, router, session } = useApp();
  const [isDeleting, setDeleting] = useState(false);
  const state = session.state.value;
  if (state.phase === 'in' && state.session.isReadOnly)
    return <CommandMenu summary={summary} isArchived={isArchived} />;
  const isMoving = summary.state === 'running' || summary.state === 'waiting';
  const isPipeline = summary.kind === 'PipelineRun';
  const cancel = (mode: 'now' | 'run-finally' | 'stop') =>
    void notices.report(actions.cancel(summary, mode), () => `${summary.name}: cancellation requested`);
  const start = async (created: Promise<KubeObject>) => {
    const made = await notices.report(created, ({ metadata }) => `${metadata.name} was created`);
    if (made)
      router.go(runLink({ kind: made.kind, namespace: made.metadata.namespace ?? '', name: made.metadata.name ?? '' }));
  };
  return (
    <div class="buttons run-buttons">
      {isMoving ? (
        <>
          <button type="button" class="danger" disabled={summary.isCancelling} onClick={() => cancel('now')}>
            Cancel
          </button>
          {isPipeline ? (
            <>
              <button
                type="button"
                disabled={summary.isCancelling}
                title="Cancel the tasks, then run the final tasks"
                onClick={() => cancel('run-finally')}
              >
                Cancel, run finally
              </button>
              <button
                type="button"
                disabled={summary.isCancelling}
                title="Start no more tasks, then run the final tasks"
                onClick={() => cancel('stop')}
              >
                Stop
              </button>
            </>
          ) : null}
        </>
      ) : (
        <>
          <button type="button" class="primary" onClick={() => void start(actions.rerun(run))}>
            Rerun
          </button>
          {isPipeline && !isArchived && summary.state !== 'succeeded' ? (
            <button type="button" onClick={() => void start(actions.rerunFromFailed(run))}>
              Rerun from failed
            </button>
          ) : null}
          <button type="button" onClick={() => router.setQuery({ tab: 'start', task: undefined, line: undefined })}>
            Start with other params
          </button>
          {isArchived ? null : (
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          )}
        </>
      )}
      <CommandMenu summary={summary} isArchived={isArchived} />
      {isDeleting ? (
        <Confirm
          title={`Delete ${summary.name}?`}
          action="Delete"
          isDangerous
          onClose={() => setDeleting(false)}
          onConfirm={() =>
            void notices
              .report(actions.delete(summary), () => `${summary.name} was deleted`)
              .then(() => router.go('/runs'))
          }
        >
          <p class="muted">Its TaskRuns, Pods and logs are deleted, too.</p>
        </Confirm>
      ) : null}
    </div>
  );
}

/** The same on the command line. */
function CommandMenu({ summary, isArchived }: Omit<RunButtonsProps, 'run'>) {
  const { notices } = useApp();
  const isMoving = summary.state === 'running' || summary.state === 'waiting';
  const commands = [
    commandText.logs(summary),
    commandText.describe(summary),
    ...(isArchived ? [] : isMoving ? [commandText.cancel(summary, 'now')] : [commandText.rerun(summary)]),
    ...(!isArchived && summary.kind === 'PipelineRun' && summary.state === 'failed'
      ? [commandText.rerunFromFailed(summary)]
      : []),
    ...(isArchived ? [] : [commandText.delete(summary)]),
  ];
  const copy = (text: string) => void notices.report(navigator.clipboard.writeText(text), () => 'Copied');
  return (
    <details class="menu commands">
      <summary class="button">Commands</summary>
      <div class="menu-body">
        {commands.map((text) => (
          <button key={text} type="button" title="Copy" onClick={() => copy(text)}>
            <code>{text}</code>
          </button>
        ))}
      </div>
    </details>
  );
}
