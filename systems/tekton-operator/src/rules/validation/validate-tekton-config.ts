import {
  type FieldErrors,
  genericError,
  invalidArrayValue,
  invalidKeyName,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { validateOperatorParams } from '../operator-params.ts';
import type { SchedulerSettings } from '../../kinds/component-fields.ts';
import type { PrunerSettings } from '../../kinds/pruner-fields.ts';
import { type Param, paramValue } from '../../kinds/shared-fields.ts';
import type { TektonConfigSpec } from '../../kinds/tekton-config.ts';
import type { Platform } from '../../platform/platform.ts';
import { addonParams } from '../defaults/default-components.ts';
import { validateEventPruner } from './validate-event-pruner.ts';
import { validatePipeline } from './validate-pipeline.ts';
import { validatePipelinesAsCode } from './validate-pipelines-as-code.ts';
import { validateWatcher } from './validate-result.ts';
import { oneOf, singletonName, targetNamespace, validateOptions } from './validate-shared.ts';
import { validateTriggerSettings } from './validate-trigger.ts';

interface NamedSpec {
  readonly metadata: { readonly name?: string };
  readonly spec?: TektonConfigSpec;
}

/** Validates a TektonConfig. The spec has its defaults. */
export function validateTektonConfig(config: NamedSpec, old: NamedSpec | undefined, platform: Platform): FieldErrors {
  const { spec = {} } = config;
  const errors = unchangedNamespace(spec, old?.spec).also(
    singletonName(config.metadata.name ?? '', 'TektonConfig', 'config', '  '),
    targetNamespace(spec.targetNamespace, platform),
    oneOf(spec.profile, ['lite', 'basic', 'all'], 'spec.profile'),
  );
  const wrongPlatform = validatePlatform(spec, platform);
  // Only the platform error is reported: everything else may be meant for the other platform.
  if (!wrongPlatform.isEmpty) return errors.also(wrongPlatform);
  const block = spec.platforms?.[platform]?.pipelinesAsCode;
  return errors.also(
    block ? validatePipelinesAsCode(block, `spec.platforms.${platform}.pipelinesAsCode`) : noFieldErrors,
    validateOperatorParams(spec.params),
    validatePruner(spec.pruner),
    spec.tektonpruner ? validateEventPruner(spec.tektonpruner, 'spec.tektonpruner') : noFieldErrors,
    spec.scheduler ? validateScheduler(spec.scheduler) : noFieldErrors,
    validateAddonParams(spec.addon?.params, 'spec.addon.params'),
    spec.pipeline ? validatePipeline(spec.pipeline, 'spec.pipeline') : noFieldErrors,
    validateOptions(spec.pipeline?.options, 'spec.pipeline.options'),
    validateOptions(spec.dashboard?.options, 'spec.dashboard.options'),
    validateOptions(spec.chain?.options, 'spec.chain.options'),
    validateOptions(spec.trigger?.options, 'spec.trigger.options'),
    validateOptions(spec.result?.options, 'spec.result.options'),
    validateWatcher(spec.result?.watcher, 'spec.result.watcher'),
    validateOptions(spec.multiclusterProxyAAE?.options, 'spec.multiclusterProxyAAE.options'),
    spec.trigger ? validateTriggerSettings(spec.trigger, 'spec.trigger') : noFieldErrors,
  );
}

function unchangedNamespace(spec: TektonConfigSpec, old: TektonConfigSpec | undefined): FieldErrors {
  if (!old || (old.targetNamespace ?? '') === (spec.targetNamespace ?? '')) return noFieldErrors;
  return genericError(
    "Doesn't allow to update targetNamespace, delete existing TektonConfig and create the updated TektonConfig",
    'spec.targetNamespace',
  );
}

function validatePlatform({ platforms }: TektonConfigSpec, platform: Platform): FieldErrors {
  const { openshift, kubernetes } = platforms ?? {};
  if (platform === 'kubernetes' && (openshift?.pipelinesAsCode || openshift?.scc))
    return genericError(
      'this cluster runs the Kubernetes Tekton Operator; configure Pipelines as Code and SCC-related settings only under spec.platforms.kubernetes. ' +
        'Remove spec.platforms.openshift (including pipelinesAsCode and scc). ' +
        'Do not set both spec.platforms.openshift.pipelinesAsCode and spec.platforms.kubernetes.pipelinesAsCode.',
      'spec.platforms',
    );
  if (platform === 'openshift' && kubernetes?.pipelinesAsCode)
    return genericError(
      'this cluster runs the OpenShift Tekton Operator; configure Pipelines as Code only under spec.platforms.openshift. ' +
        'Remove spec.platforms.kubernetes.pipelinesAsCode.',
      'spec.platforms',
    );
  return noFieldErrors;
}

function validatePruner(pruner: PrunerSettings | undefined): FieldErrors {
  if (!pruner || pruner.disabled) return noFieldErrors;
  const { resources = [], keep, 'keep-since': since } = pruner;
  const paths = ['spec.pruner.keep', 'spec.pruner.keep-since'] as const;
  let errors = resources.length === 0 ? missingField('spec.pruner.resources') : noFieldErrors;
  for (const [index, name] of resources.entries())
    if (name !== 'taskrun' && name !== 'pipelinerun')
      errors = errors.also(invalidArrayValue(name, 'spec.pruner.resources', index));
  if (keep !== undefined && since !== undefined) errors = errors.also(multipleOneOf(...paths));
  if (keep === undefined && since === undefined) errors = errors.also(missingOneOf(...paths));
  if (keep === 0) errors = errors.also(invalidValue(keep, paths[0]));
  if (since === 0) errors = errors.also(invalidValue(since, paths[1]));
  return errors;
}

/** Upstream has this rule, and no webhook that asks it. */
export function validateScheduler(scheduler: SchedulerSettings): FieldErrors {
  const { 'multi-cluster-disabled': isDisabled, 'multi-cluster-role': role = '' } = scheduler;
  const wrong = (words: string) => invalidValue('MultiClusterConfig', 'multicluster-role', words);
  if (isDisabled && role !== '')
    return wrong('multicluster-role should be blank when MultiClusterConfig.MultiClusterDisabled is true');
  if (!isDisabled && !scheduler.disabled && !['hub', 'spoke'].includes(role.toLowerCase()))
    return wrong(
      "multicluster-role should be 'Hub' or 'Spoke' (case-insensitive) when MultiClusterConfig.MultiClusterDisabled is false",
    );
  return noFieldErrors;
}

export function validateAddonParams(params: readonly Param[] | undefined, path: string): FieldErrors {
  let errors = noFieldErrors;
  for (const [index, { name = '', value = '' }] of (params ?? []).entries()) {
    if (name === 'clusterTasks' || name === 'communityClusterTasks') continue;
    if (!addonParams.includes(name)) errors = errors.also(invalidKeyName(name, path));
    else if (value !== 'true' && value !== 'false')
      errors = errors.also(invalidArrayValue(value, `${path}.${name}`, index));
  }
  const contradicts =
    paramValue(params, 'resolverTasks') === 'false' && paramValue(params, 'pipelineTemplates') === 'true';
  return contradicts
    ? errors.also(genericError('pipelineTemplates cannot be true if resolverTask is false', path))
    : errors;
}
