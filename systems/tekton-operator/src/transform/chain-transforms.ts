import type { Transform } from '@tektite/manifest';
import { type ChainSettings, chainFields } from '../kinds/chain-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import { configMapData, settingTexts } from './config-map-values.ts';
import { containerVariables } from './environment-variables.ts';
import { type ImageChoice, workloadImages } from './images.ts';
import { operandLabel } from './operand-label.ts';
import { asStatefulSet, electionBuckets, tuneController } from './performance.ts';
import { restrictPods } from './pod-security.ts';
import { schedulePods } from './scheduling.ts';

const notSettings = ['disabled', 'generateSigningSecret', 'performance', 'controllerEnvs', 'options'];
const keys = Object.keys(chainFields).filter((key) => !notSettings.includes(key));
const emptyTexts = keys.filter((key) => key.endsWith('.storage'));

const controller = {
  deployment: 'tekton-chains-controller',
  container: 'tekton-chains-controller',
  election: 'tekton-chains-config-leader-election',
};

/** Marks what was made by {@link signingSecret}. */
export const signingAnnotation = 'operator.tekton.dev/generated-signing-secret';

/** The transforms of a release of Chains. */
export function chainTransforms(
  settings: ChainSettings & { readonly config?: Scheduling },
  images: ImageChoice,
  signingKeys?: Readonly<Record<string, string>>,
): readonly (Transform | undefined)[] {
  const performance = settings.performance ?? { 'disable-ha': false };
  return [
    operandLabel('tektoncd-chains'),
    workloadImages(images, 'Deployment'),
    schedulePods(settings.config),
    configMapData('chains-config', settingTexts(settings, keys, emptyTexts)),
    restrictPods('Deployment'),
    containerVariables(controller, settings.controllerEnvs ?? []),
    electionBuckets(controller.election, performance),
    tuneController(controller, performance),
    signingKeys ? signingSecret(signingKeys) : undefined,
    performance['statefulset-ordinals'] ? asStatefulSet(controller.deployment) : undefined,
  ];
}

/** Keys for Secrets that have none. */
function signingSecret(data: Readonly<Record<string, string>>): Transform {
  return function signingSecret(draft) {
    if (draft.kind !== 'Secret') return;
    const secret = draft as { data?: Readonly<Record<string, string>> };
    if (Object.keys(secret.data ?? {}).length === 0) secret.data = data;
    draft.metadata.annotations = { ...draft.metadata.annotations, [signingAnnotation]: 'true' };
  };
}
