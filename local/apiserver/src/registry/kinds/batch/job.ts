import {
  equalJson,
  type FieldError,
  FieldPath,
  formatLabelSelector,
  humanDuration,
  invalid,
  validateDns1123Label,
  type Mutable,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type { Affinity, Job, JobSpec, PodSpec, PodTemplateSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { defaultPodSpec } from '../core/pod/pod-defaults.ts';
import { podTemplateWarnings } from '../core/pod/pod-warnings.ts';
import { prepareTemplate } from '../core/pod/prepare-pod.ts';
import { checkImmutable } from '../field-checks.ts';
import { goValue, printableSelector } from '../go-value/go-value.ts';
import { validateObjectMetaUpdate } from '../object-meta.ts';
import { keepStatus, resetStatus, setField } from '../prepare.ts';
import { ageOf, containerCells, nameOf, since } from '../table/cells.ts';
import { jobColumns } from './columns.ts';
import { podNameWarnings, readSelector, sortedLabels } from '../core/workload.ts';
import { validateJobSpec } from './job-spec.ts';
import { hasCondition, validateJobStatusUpdate } from './job-status.ts';

type Spec = Partial<JobSpec>;

const path = FieldPath.of('spec');
const controllerUid = 'batch.kubernetes.io/controller-uid';
const jobName = 'batch.kubernetes.io/job-name';
const oldControllerUid = 'controller-uid';
const oldJobName = 'job-name';

const specOf = (job: Job): Spec => job.spec ?? {};

function defaultJob(job: Mutable<Job>): void {
  job.spec ??= {} as Mutable<JobSpec>;
  const { spec } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
  defaultJobSpec(spec);
}

/** The defaults of a Job, also inside a CronJob. */
export function defaultJobSpec(spec: Mutable<JobSpec>): void {
  for (const rule of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  spec.template ??= {};
  spec.template.spec ??= { containers: null };
  defaultPodSpec(spec.template.spec);
}

/** Unless its author insists, a Job selects its Pods by its own uid. */
function generateSelector(job: Mutable<Job>): void {
  const { spec } = job;
  if (!spec || spec.manualSelector) return;
  const uid = job.metadata.uid ?? '';
  const name = job.metadata.name ?? '';
  spec.template ??= {};
  spec.template.metadata ??= {};
  const { labels } = spec.template.metadata;
  // A Job without labels shares those of its template, upstream literally so: what is added to one shows in the other.
  const shared = labels && Object.keys(labels).length > 0 && equalJson(labels, job.metadata.labels);
  spec.template.metadata.labels = {
    [oldJobName]: name,
    [jobName]: name,
    [oldControllerUid]: uid,
    [controllerUid]: uid,
    ...labels,
  };
  if (shared) job.metadata.labels = { ...spec.template.metadata.labels };
  spec.selector ??= {};
  spec.selector.matchLabels = { [controllerUid]: uid, ...spec.selector.matchLabels };
}

function validateJob(job: Job, prefixedLabels: boolean): FieldError[] {
  const errors: FieldError[] = [];
  validateGeneratedSelector(job, prefixedLabels, errors);
  validateWholeSpec(specOf(job), errors);
  const { completionMode, completions = 0 } = specOf(job);
  const { name = '' } = job.metadata;
  if (completionMode === 'Indexed' && completions > 0) {
    const hostname = `${name}-${completions - 1}`;
    if (validateDns1123Label(hostname).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
      errors.push(invalid('metadata.name', name, detail));
    }
  }
  return errors;
}

function validateGeneratedSelector(job: Job, prefixedLabels: boolean, errors: FieldError[]): void {
  const { manualSelector, selector, template } = specOf(job);
  if (manualSelector || !selector) return;
  const { uid = '', name = '' } = job.metadata;
  if (uid === '') errors.push(required('metadata.uid'));
  const expected: Record<string, string> = {
    [oldControllerUid]: uid,
    [oldJobName]: name,
    ...(prefixedLabels && { [controllerUid]: uid, [jobName]: name }),
  };
  const labels = template?.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const at = path.child('template', 'metadata', 'labels').key(key);
    if (labels[key] === undefined) errors.push(required(at, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(invalid(at, sortedLabels(labels), `must be '${value}'`));
  }
  if (readSelector(selector)?.matches(expected) === false)
    errors.push(invalid(path.child('selector'), printableSelector(selector), '`selector` not auto-generated'));
}

function validateWholeSpec(spec: Spec, errors: FieldError[]): void {
  validateJobSpec(spec, path, errors);
  const { selector, template } = spec;
  if (!selector) errors.push(required(path.child('selector')));
  else errors.push(...validateLabelSelector(selector, path.child('selector')));
  const labels = template?.metadata?.labels;
  if (readSelector(selector)?.matches(labels) === false)
    errors.push(
      invalid(
        path.child('template', 'metadata', 'labels'),
        labels ? sortedLabels(labels) : null,
        '`selector` does not match template `labels`',
      ),
    );
}

function validateUpdate(job: Job, old: Job): FieldError[] {
  const oldLabels = specOf(old).template?.metadata?.labels ?? {};
  const errors = validateJob(job, oldLabels[jobName] !== undefined && oldLabels[controllerUid] !== undefined);
  // Upstream validates the whole Job first, and its change with that of its metadata then.
  errors.push(...validateObjectMetaUpdate(job.metadata, old.metadata, { finalizers: 'kubernetes' }));
  const spec = specOf(job);
  const before = specOf(old);
  validateWholeSpec(spec, errors);
  validateCompletions(spec, before, errors);
  const immutable = (field: keyof JobSpec & string, print?: (value: unknown) => unknown) =>
    checkImmutable(spec[field], before[field], path.child(field), errors, print);
  immutable('selector', (selector) => printableSelector(selector as object | undefined));
  validateTemplateUpdate(job, old, errors);
  immutable('completionMode');
  immutable('podFailurePolicy', (policy) => (policy ? goValue('PodFailurePolicy', policy) : null));
  immutable('backoffLimitPerIndex', (limit) => limit ?? null);
  immutable('managedBy', (manager) => manager ?? null);
  immutable('successPolicy', (policy) => (policy ? goValue('SuccessPolicy', policy) : null));
  return errors;
}

/** Indexed Jobs may grow and shrink as a whole. */
function validateCompletions(spec: Spec, old: Spec, errors: FieldError[]): void {
  const at = path.child('completions');
  if (spec.completionMode !== 'Indexed')
    checkImmutable(spec.completions, old.completions, at, errors, (value) => value ?? null);
  else if (
    spec.completions !== undefined &&
    spec.completions !== old.completions &&
    spec.completions !== spec.parallelism
  )
    errors.push(invalid(at, spec.completions, 'can only be modified in tandem with spec.parallelism'));
}

/** Until a suspended Job starts, its Pods may be scheduled in another way and have other resources. */
function validateTemplateUpdate(job: Job, old: Job, errors: FieldError[]): void {
  const template = specOf(job).template ?? {};
  const suspended = specOf(old).suspend === true;
  const notStarted = old.status?.startTime === undefined;
  const mutable = suspended && (notStarted || hasCondition(old, 'Suspended')) && (old.status?.active ?? 0) === 0;
  const before = specOf(old).template ?? {};
  const oldTemplate = mutable ? withNewScheduling(before, template) : before;
  if (!mutable) {
    if (!equalJson(template, oldTemplate))
      errors.push(invalid(path.child('template'), goValue('PodTemplateSpec', template), 'field is immutable'));
    return;
  }
  const podSpec = template.spec ?? { containers: null };
  const oldPodSpec = withNewResources(oldTemplate.spec ?? { containers: null }, podSpec);
  if (!equalJson(podSpec, oldPodSpec))
    errors.push(invalid(path.child('template.spec'), goValue('PodSpec', podSpec), 'field is immutable'));
}

function withNewScheduling(old: PodTemplateSpec, now: PodTemplateSpec): PodTemplateSpec {
  const metadata = { ...old.metadata };
  setField(metadata, 'labels', now.metadata?.labels);
  setField(metadata, 'annotations', now.metadata?.annotations);
  const spec: Mutable<PodSpec> = { ...((old.spec ?? { containers: null }) as Mutable<PodSpec>) };
  setField(spec, 'nodeSelector', now.spec?.nodeSelector);
  setField(spec, 'tolerations', now.spec?.tolerations);
  setField(spec, 'schedulingGates', now.spec?.schedulingGates);
  const affinity: Mutable<Affinity> = { ...(old.spec?.affinity as Mutable<Affinity> | undefined) };
  setField(affinity, 'nodeAffinity', now.spec?.affinity?.nodeAffinity);
  setField(spec, 'affinity', Object.keys(affinity).length > 0 || now.spec?.affinity ? affinity : undefined);
  return { metadata, spec: spec as PodSpec };
}

function withNewResources(old: PodSpec, now: PodSpec): PodSpec {
  const result: Mutable<PodSpec> = { ...(old as Mutable<PodSpec>) };
  for (const field of ['containers', 'initContainers'] as const) {
    const containers = old[field] ?? [];
    const others = now[field] ?? [];
    if (containers.length === 0 || containers.length !== others.length) continue;
    result[field] = containers.map((container, i) => {
      const copy = { ...container } as Mutable<typeof container>;
      if (others[i]?.name === container.name) setField(copy, 'resources', others[i]?.resources);
      return copy;
    });
  }
  return result as PodSpec;
}

/** Warnings about a Job, also inside a CronJob. */
export function jobSpecWarnings(spec: Spec, at: FieldPath): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  const warnings: string[] = [];
  if (completionMode === 'Indexed' && completions > 100_000 && parallelism > 10_000)
    warnings.push(
      `${at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  return [...warnings, ...podTemplateWarnings(spec.template, at.child('template'))];
}

function statusOf(job: Job): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const type of ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']) if (hasCondition(job, type)) return type;
  return 'Running';
}

function completionsOf(job: Job): string {
  const { completions, parallelism = 0 } = specOf(job);
  const succeeded = job.status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, now: number): string {
  if (status?.startTime === undefined) return '';
  if (status.completionTime === undefined) return since(status.startTime, now);
  return humanDuration(Date.parse(status.completionTime) - Date.parse(status.startTime));
}

export const jobStrategy: KindStrategy<Job> = {
  metadataRules: { onUpdate: 'create' },
  default: defaultJob,
  prepareForCreate(job) {
    generateSelector(job);
    resetStatus(job);
    prepareTemplate(job.spec?.template);
  },
  prepareForUpdate(job, old) {
    keepStatus(job, old);
    prepareTemplate(job.spec?.template, old.spec?.template);
  },
  validateCreate: (job) => validateJob(job, true),
  validateUpdate,
  subresources: { status: { validateUpdate: validateJobStatusUpdate } },
  warnings(job, old) {
    if (old && equalJson(job.spec, old.spec)) return [];
    const advice = jobSpecWarnings(specOf(job), path);
    return old ? advice : [...podNameWarnings(job.metadata.name), ...advice];
  },
  selectableFields: ['status.successful'],
  unsupportedField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  fields: ({ status }) => ({ 'status.successful': String(status?.succeeded ?? 0) }),
  table: {
    columns: jobColumns,
    row: (job, context) => [
      nameOf(job),
      statusOf(job),
      completionsOf(job),
      durationOf(job, context.now),
      ageOf(job, context),
      ...containerCells(specOf(job).template?.spec?.containers),
      formatLabelSelector(specOf(job).selector),
    ],
  },
  generationChanged: (job, old) => !equalJson(job.spec, old.spec),
  defaultPropagation: 'Orphan',
};
