import {
  equalJson,
  type FieldError,
  FieldPath,
  formatLabelSelector,
  invalid,
  type Mutable,
  notSupported,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type { DaemonSet, DaemonSetSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { defaultPodSpec } from '../core/pod/pod-defaults.ts';
import { podTemplateWarnings } from '../core/pod/pod-warnings.ts';
import { prepareTemplate } from '../core/pod/prepare-pod.ts';
import { validatePodTemplateSpec } from '../core/pod/validate-pod.ts';
import { checkImmutable, checkNonNegative } from '../field-checks.ts';
import { goValue, printableSelector } from '../go-value/go-value.ts';
import { checkAtMostAll, checkIntOrPercent, numberOf } from '../int-or-percent.ts';
import { keepStatus, setField } from '../prepare.ts';
import { ageOf, containerCells, formatLabels, nameOf } from '../table/cells.ts';
import { daemonSetColumns } from './columns.ts';
import {
  checkNotDecremented,
  checkRunsForever,
  isEmptySelector,
  readSelector,
  sortedLabels,
} from '../core/workload.ts';

const path = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const templateGeneration = 'deprecated.daemonset.template.generation';

const specOf = (daemonSet: DaemonSet): Partial<DaemonSetSpec> => daemonSet.spec ?? {};

function defaultDaemonSet(daemonSet: Mutable<DaemonSet>): void {
  daemonSet.spec ??= {} as Mutable<DaemonSetSpec>;
  const { spec } = daemonSet;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  } else if (spec.updateStrategy.rollingUpdate) {
    // Upstream's internal form has no absent numbers here.
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 0;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  spec.template.spec ??= { containers: null };
  defaultPodSpec(spec.template.spec);
  setTemplateGeneration(daemonSet, generationOf(daemonSet as DaemonSet));
}

/** How often the template changed; kept in an annotation since the field for it was removed. */
function setTemplateGeneration(daemonSet: Mutable<DaemonSet>, generation: number): void {
  daemonSet.metadata.annotations = { ...daemonSet.metadata.annotations, [templateGeneration]: String(generation) };
}

function generationOf({ metadata }: DaemonSet): number {
  const text = metadata.annotations?.[templateGeneration] ?? '';
  return /^[0-9]+$/.test(text) ? Number(text) : 0;
}

function validateDaemonSet(daemonSet: DaemonSet): FieldError[] {
  const errors: FieldError[] = [];
  const spec = specOf(daemonSet);
  const selector = spec.selector ?? undefined;
  const template = spec.template ?? {};
  errors.push(...validateLabelSelector(selector, path.child('selector')));
  const read = readSelector(selector);
  const labels = template.metadata?.labels;
  if (read && !read.matches(labels))
    errors.push(
      invalid(
        path.child('template', 'metadata', 'labels'),
        labels ? sortedLabels(labels) : null,
        '`selector` does not match template `labels`',
      ),
    );
  if (selector && isEmptySelector(selector))
    errors.push(
      invalid(path.child('selector'), printableSelector(selector), 'empty selector is invalid for daemonset'),
    );
  validatePodTemplateSpec(template, path.child('template'), errors);
  checkRunsForever(template, 'DaemonSet', path.child('template'), errors);
  checkNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors);
  validateUpdateStrategy(spec, errors);
  checkNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors);
  return errors;
}

function validateUpdateStrategy({ updateStrategy = {} }: Partial<DaemonSetSpec>, errors: FieldError[]): void {
  const at = path.child('updateStrategy');
  const { type, rollingUpdate } = updateStrategy;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    errors.push(notSupported(at, goValue('DaemonSetUpdateStrategy', updateStrategy), ['RollingUpdate', 'OnDelete']));
    return;
  }
  if (!rollingUpdate) {
    errors.push(required(at.child('rollingUpdate')));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailablePath = at.child('rollingUpdate', 'maxUnavailable');
  const surgePath = at.child('rollingUpdate', 'maxSurge');
  checkIntOrPercent(maxUnavailable, unavailablePath, errors);
  checkIntOrPercent(maxSurge, surgePath, errors);
  checkAtMostAll(maxUnavailable, unavailablePath, errors);
  checkAtMostAll(maxSurge, surgePath, errors);
  const hasUnavailable = numberOf(maxUnavailable) !== 0;
  const hasSurge = numberOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge)
    errors.push(invalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  else if (!hasUnavailable && !hasSurge) errors.push(required(unavailablePath, 'cannot be 0 when maxSurge is 0'));
}

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

const templateChanged = (daemonSet: DaemonSet, old: DaemonSet): boolean =>
  !equalJson(specOf(daemonSet).template, specOf(old).template);

export const daemonSetStrategy: KindStrategy<DaemonSet> = {
  default: defaultDaemonSet,
  prepareForCreate(daemonSet) {
    daemonSet.status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
    setTemplateGeneration(daemonSet, Math.max(1, generationOf(daemonSet as DaemonSet)));
    prepareTemplate(daemonSet.spec?.template);
  },
  prepareForUpdate(daemonSet, old) {
    keepStatus(daemonSet, old);
    prepareTemplate(daemonSet.spec?.template, old.spec?.template);
    const before = generationOf(old);
    setTemplateGeneration(daemonSet, templateChanged(daemonSet as DaemonSet, old) ? before + 1 : before);
  },
  validateCreate: validateDaemonSet,
  validateUpdate(daemonSet, old) {
    const errors: FieldError[] = [];
    checkImmutable(specOf(daemonSet).selector, specOf(old).selector, path.child('selector'), errors, (selector) =>
      printableSelector((selector ?? undefined) as object | undefined),
    );
    return [...errors, ...validateDaemonSet(daemonSet)];
  },
  subresources: {
    status: {
      prepareForUpdate(daemonSet, old) {
        setField(daemonSet, 'spec', old.spec);
        setTemplateGeneration(daemonSet, generationOf(old));
      },
      validateUpdate({ status }, old) {
        const errors: FieldError[] = [];
        for (const field of counts) checkNonNegative(status?.[field], statusPath.child(field), errors);
        checkNotDecremented(
          status?.collisionCount,
          old.status?.collisionCount,
          statusPath.child('collisionCount'),
          errors,
        );
        return errors;
      },
    },
  },
  warnings: (daemonSet, old) =>
    old && !templateChanged(daemonSet, old)
      ? []
      : podTemplateWarnings(daemonSet.spec?.template, path.child('template')),
  innerMetadata({ metadata }) {
    const { [templateGeneration]: _, ...annotations } = metadata.annotations ?? {};
    const { annotations: __, ...rest } = metadata;
    return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
  },
  table: {
    columns: daemonSetColumns,
    row(daemonSet, context) {
      const { status } = daemonSet;
      const { template, selector } = specOf(daemonSet);
      return [
        nameOf(daemonSet),
        status?.desiredNumberScheduled ?? 0,
        status?.currentNumberScheduled ?? 0,
        status?.numberReady ?? 0,
        status?.updatedNumberScheduled ?? 0,
        status?.numberAvailable ?? 0,
        formatLabels(template?.spec?.nodeSelector),
        ageOf(daemonSet, context),
        ...containerCells(template?.spec?.containers),
        formatLabelSelector(selector),
      ];
    },
  },
  generationChanged: (daemonSet, old) => !equalJson(daemonSet.spec, old.spec),
};
