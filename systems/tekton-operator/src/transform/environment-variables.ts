import type { Transform } from '@tektite/manifest';
import type { EnvVar } from '@tektite/schema/kubernetes';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { type DraftContainer, putVariable, templateIn } from './workload.ts';

/** Gives Deployments the oldest Kubernetes that the operator puts up with. */
export function minimumKubernetes(environment: OperatorEnvironment): Transform | undefined {
  const value = environment.KUBERNETES_MIN_VERSION;
  if (value === undefined) return undefined;
  return function minimumKubernetes(draft) {
    for (const container of templateIn(draft, 'Deployment')?.spec.containers ?? [])
      putVariable(container as DraftContainer, { name: 'KUBERNETES_MIN_VERSION', value });
  };
}

export interface ContainerChoice {
  readonly deployment: string;
  /** Default: the first one. */
  readonly container?: string;
}

/** Variables for one container. */
export function containerVariables(where: ContainerChoice, variables: readonly EnvVar[]): Transform | undefined {
  if (variables.length === 0) return undefined;
  return function containerVariables(draft) {
    if (draft.metadata.name !== where.deployment) return;
    const containers = templateIn(draft, 'Deployment')?.spec.containers ?? [];
    const container = where.container ? containers.find(({ name }) => name === where.container) : containers[0];
    if (container) for (const variable of variables) putVariable(container as DraftContainer, variable);
  };
}

/** The variables that name a proxy. */
export const proxyNames = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/**
 * The operator's proxy for all containers: set where it has one, taken away where not. Variables are in the order of their
 * names afterwards, as upstream has them.
 */
export function proxyVariables(environment: OperatorEnvironment): Transform {
  return function proxyVariables(draft) {
    for (const container of (templateIn(draft, 'Deployment', 'StatefulSet')?.spec.containers ??
      []) as DraftContainer[]) {
      const byName = new Map((container.env ?? []).map((variable) => [variable.name, variable]));
      for (const name of proxyNames) {
        const value = environment[name];
        if (value) byName.set(name, { name, value });
        else byName.delete(name);
      }
      const variables = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      if (variables.length > 0) container.env = variables as DraftContainer['env'] & object;
      else delete container.env;
    }
  };
}
