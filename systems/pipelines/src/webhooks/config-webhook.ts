import { type AdmissionWebhook, configMapWebhook } from '@tektite/controller/webhook';
import { configDefaults } from '../config/config-defaults.ts';
import { featureFlags } from '../config/feature-flags.ts';
import { loggingConfig } from '../config/logging-config.ts';
import { webhookElectionConfig } from '../config/webhook-election-config.ts';

/** Denies invalid settings. Only ConfigMaps with Tekton's label are checked. */
export function configWebhook(): AdmissionWebhook {
  return configMapWebhook({
    name: 'config.webhook.pipeline.tekton.dev',
    path: '/config-validation',
    configs: [featureFlags, configDefaults, loggingConfig, webhookElectionConfig],
    objectSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'tekton-pipelines' } },
  });
}
