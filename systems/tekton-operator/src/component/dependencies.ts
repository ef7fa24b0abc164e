import { findCondition } from '@tektite/meta';
import type { DependencyRule } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';

/** The state of a component's dependencies. */
export type DependencyState =
  | { readonly state: 'installed' }
  | { readonly state: 'installing'; readonly message: string }
  | { readonly state: 'missing'; readonly message: string };

/** The components and APIs that a dependency rule is about. */
export interface DependencyFacts {
  readonly pipeline: ComponentObject | undefined;
  readonly trigger?: ComponentObject | undefined;
  /** Of those that the rule names, the APIs that the server does not have. */
  readonly missingApis?: readonly string[];
}

/** A component that is Ready, and not about to be replaced. */
export function isComponentReady(component: ComponentObject | undefined): boolean {
  const ready = findCondition(component?.status?.conditions, 'Ready');
  return ready?.status === 'True' && !isUpgradePending(component);
}

export function isUpgradePending(component: ComponentObject | undefined): boolean {
  return findCondition(component?.status?.conditions, 'Ready')?.message?.includes('upgrade pending') ?? false;
}

export function decideDependencies(rule: DependencyRule, namespace: string, found: DependencyFacts): DependencyState {
  const { pipeline, trigger, missingApis = [] } = found;
  const [api] = missingApis;
  if (api !== undefined) return { state: 'missing', message: `the API ${api} is not there` };
  if (!pipeline) return { state: 'missing', message: `${rule.pipelineName} does not exist` };
  if (!isComponentReady(pipeline)) return { state: 'installing', message: `${rule.pipelineName} is still installing` };
  if (rule.sameNamespace && pipeline.spec?.targetNamespace !== namespace)
    return { state: 'missing', message: `tekton-pipelines is missing in ${namespace} namespace` };
  if (rule.triggers && !trigger) return { state: 'missing', message: 'tekton-triggers does not exist' };
  if (rule.triggers && !isComponentReady(trigger))
    return { state: 'installing', message: 'tekton-triggers is still installing' };
  return { state: 'installed' };
}
