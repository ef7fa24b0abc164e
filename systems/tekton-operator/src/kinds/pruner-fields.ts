import { type InferType, s } from '@tektite/schema';
import { options, text, texts, whole } from './shared-fields.ts';

const limits = {
  enforcedConfigLevel: text().inGo('pointer'),
  ttlSecondsAfterFinished: whole('int32'),
  successfulHistoryLimit: whole('int32'),
  failedHistoryLimit: whole('int32'),
  historyLimit: whole('int32'),
};

const selector = s.object({ matchLabels: texts(), matchAnnotations: texts() });
const resourceRules = s.list(s.object({ name: text(), selector: s.list(selector).optional(), ...limits }));
const namespaceRules = s.object({
  ...limits,
  pipelineRuns: resourceRules.optional(),
  taskRuns: resourceRules.optional(),
});
export type PrunerNamespaceRules = InferType<typeof namespaceRules>;

const globalConfig = s.object({ ...limits, namespaces: s.map(namespaceRules).optional() }, { preserveUnknown: true });
export type PrunerGlobalConfig = InferType<typeof globalConfig>;

/** The pruner that follows runs. */
export const eventPrunerFields = {
  disabled: s.boolean().inGo('pointer'),
  'global-config': globalConfig.inGo('pointer'),
  options: options.optional(),
};
const eventPruner = s.object(eventPrunerFields);
export type EventPrunerSettings = InferType<typeof eventPruner>;

/** The pruner that is a CronJob. */
export const pruner = s.object({
  disabled: s.boolean(),
  'prune-per-resource': s.boolean().optional().inGo('value'),
  resources: s.list(s.string()).optional(),
  keep: whole(),
  'keep-since': whole(),
  schedule: text(),
  startingDeadlineSeconds: whole('int64'),
});
export type PrunerSettings = InferType<typeof pruner>;
