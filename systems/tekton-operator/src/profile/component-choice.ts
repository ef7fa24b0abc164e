import type { SchedulerSettings } from '../kinds/component-fields.ts';
import type { TektonConfigSpec } from '../kinds/tekton-config.ts';
import type { Platform } from '../platform/platform.ts';
import { readOperatorParams } from '../rules/operator-params.ts';

/** The choice for a component: keep, remove, or leave alone. */
export type Choice = 'wanted' | 'unwanted' | 'untouched';

export interface ComponentChoices {
  readonly trigger: Choice;
  readonly chain: Choice;
  readonly result: Choice;
  readonly dashboard: Choice;
  readonly addon: Choice;
  readonly pipelinesAsCode: Choice;
  readonly eventPruner: Choice;
  readonly scheduler: Choice;
  readonly multiclusterProxy: Choice;
  readonly syncerService: Choice;
}

/**
 * Which components a TektonConfig wants: by its profile, by what it turns off, by the platform. Pipelines always.
 *
 * @example
 * chooseComponents({ profile: 'lite' }, 'kubernetes').trigger; // unwanted
 */
export function chooseComponents(spec: TektonConfigSpec, platform: Platform): ComponentChoices {
  const { profile = 'basic', scheduler } = spec;
  const { components } = readOperatorParams(spec.params);
  const choose = (name: string, byProfile: boolean, isOn: boolean): Choice =>
    (components ? components.has(name) : byProfile && isOn) ? 'wanted' : 'unwanted';
  const more = profile === 'basic' || profile === 'all';
  const openshift = platform === 'openshift';
  const asCode = spec.platforms?.[platform]?.pipelinesAsCode?.enable === true;
  const hub = isHub(scheduler);
  return {
    trigger: choose('trigger', more, !spec.trigger?.disabled),
    chain: choose('chain', more, !spec.chain?.disabled),
    result: choose('result', more, !spec.result?.disabled),
    dashboard: openshift ? 'untouched' : choose('dashboard', profile === 'all', true),
    addon: openshift ? choose('addon', profile === 'all', true) : 'untouched',
    // On Kubernetes upstream returns before it comes to it, in profiles that are not all.
    pipelinesAsCode:
      openshift || profile === 'all' || components ? choose('pipelines-as-code', true, asCode) : 'untouched',
    eventPruner: choose('pruner', true, spec.tektonpruner?.disabled === false),
    scheduler: choose('scheduler', true, scheduler?.disabled === false),
    multiclusterProxy: hub ? 'wanted' : 'unwanted',
    // Only OpenShift has a controller for it; elsewhere it would never become ready.
    syncerService: openshift ? (hub ? 'wanted' : 'unwanted') : 'untouched',
  };
}

/** Whether this cluster gives work to others. */
export function isHub(scheduler: SchedulerSettings | undefined): boolean {
  return (
    scheduler?.disabled === false &&
    !scheduler['multi-cluster-disabled'] &&
    scheduler['multi-cluster-role'].toLowerCase() === 'hub'
  );
}
