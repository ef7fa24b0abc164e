import type { Transform } from '@tektite/manifest';
import type { DashboardSettings } from '../kinds/component-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import { type ImageChoice, workloadImages } from './images.ts';
import { releaseNamespace } from './namespace-transforms.ts';
import { operandLabel } from './operand-label.ts';
import { restrictPods } from './pod-security.ts';
import { schedulePods } from './scheduling.ts';
import { deploymentIn, templateOf } from './workload.ts';

const deploymentName = 'tekton-dashboard';

/** The transforms of a release of the Dashboard. */
export function dashboardTransforms(
  settings: DashboardSettings & { readonly config?: Scheduling },
  images: ImageChoice,
  namespace: string,
): readonly (Transform | undefined)[] {
  const logs = settings['external-logs'];
  return [
    operandLabel('tektoncd-dashboard'),
    schedulePods(settings.config),
    restrictPods('Deployment'),
    workloadImages(images, 'Deployment'),
    moveArguments([deploymentName], namespace),
    logs ? replaceArgument(deploymentName, '--external-logs=', `--external-logs=${logs}`) : undefined,
  ];
}

/** Arguments of the first container that name the release's namespace name the other one. */
export function moveArguments(deployments: readonly string[], namespace: string): Transform {
  return function moveArguments(draft) {
    const deployment = deploymentIn(draft);
    if (!deployment || !deployments.includes(draft.metadata.name ?? '')) return;
    const [first] = templateOf(deployment.spec).spec.containers;
    if (first?.args) first.args = first.args.map((argument) => argument.replaceAll(releaseNamespace, namespace));
  };
}

function replaceArgument(name: string, given: string, wanted: string): Transform {
  return function replaceArgument(draft) {
    const deployment = deploymentIn(draft, name);
    const [first] = deployment ? templateOf(deployment.spec).spec.containers : [];
    if (first?.args) first.args = first.args.map((argument) => (argument === given ? wanted : argument));
  };
}
