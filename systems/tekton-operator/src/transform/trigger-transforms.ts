import type { Transform } from '@tektite/manifest';
import type { TriggerSettings } from '../kinds/component-fields.ts';
import type { Scheduling } from '../kinds/shared-fields.ts';
import { configMapData, settingTexts } from './config-map-values.ts';
import { type ImageChoice, workloadImages } from './images.ts';
import { operandLabel } from './operand-label.ts';
import { schedulePods } from './scheduling.ts';

/** The transforms of a release of Triggers. */
export function triggerTransforms(
  settings: TriggerSettings & { readonly config?: Scheduling },
  images: ImageChoice,
): readonly Transform[] {
  return [
    operandLabel('tektoncd-triggers'),
    configMapData('config-defaults-triggers', settingTexts(settings, ['default-service-account'])),
    configMapData('feature-flags-triggers', settingTexts(settings, ['enable-api-fields'])),
    workloadImages(images, 'Deployment'),
    schedulePods(settings.config),
  ];
}
