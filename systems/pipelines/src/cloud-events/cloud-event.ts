import { type KubeObject, parseApiVersion } from '@tektite/meta';
import { type ConditionedStatus, succeededCondition } from '../conditions/succeeded-condition.ts';

/** A run of any kind. */
export interface AnyRun extends KubeObject {
  readonly status?: ConditionedStatus;
}

/** The sent event: the attributes of CloudEvents 1.0, and the run. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Under which name a run is in the data. */
const dataKeys: Readonly<Record<string, string>> = {
  TaskRun: 'taskRun',
  PipelineRun: 'pipelineRun',
  CustomRun: 'customRun',
};

/** The type of an event, by the condition: `dev.tekton.event.taskrun.started.v1`. */
export function eventType(run: AnyRun): string {
  return `dev.tekton.event.${run.kind.toLowerCase()}.${stateOf(run)}.v1`;
}

function stateOf(run: AnyRun): string {
  const condition = succeededCondition(run.status);
  // The reasons of custom tasks are their controllers' own.
  const isCustom = run.kind === 'CustomRun';
  if (!condition) return isCustom ? 'started' : 'queued';
  if (condition.status === 'True') return 'successful';
  if (condition.status === 'False') return 'failed';
  if (isCustom) return 'running';
  return { Started: 'started', Running: 'running' }[condition.reason ?? ''] ?? 'unknown';
}

/**
 * The event for a run in the state that was seen. `content` is the run as it is sent: in v1beta1, whatever is stored, and
 * without its kind, which the name of the field says.
 */
export function cloudEvent(run: AnyRun, content: KubeObject, stamp: Pick<CloudEvent, 'id' | 'time'>): CloudEvent {
  const { kind, apiVersion, metadata } = run;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const { namespace = '', name = '' } = metadata;
  const { apiVersion: _, kind: __, ...data } = content;
  return {
    ...stamp,
    source: `/apis/${group}/${version}/namespaces/${namespace}/${kind}/${name}`,
    type: eventType(run),
    subject: name,
    data: { [dataKeys[kind] ?? 'run']: data },
  };
}
