import { type InferType, s } from '@tektite/schema';
import { flag, options, params, text, texts } from './shared-fields.ts';

export const triggerFields = {
  disabled: s.boolean(),
  'enable-api-fields': text(),
  'default-service-account': text(),
  options: options.optional(),
};
const trigger = s.object(triggerFields);
export type TriggerSettings = InferType<typeof trigger>;

export const dashboardFields = { readonly: s.boolean(), 'external-logs': text(), options: options.optional() };
const dashboard = s.object(dashboardFields);
export type DashboardSettings = InferType<typeof dashboard>;

export const addonFields = { params: params.optional(), enablePipelinesAsCode: flag() };
const addon = s.object(addonFields);
export type AddonSettings = InferType<typeof addon>;

const additionalController = s.object({
  enable: flag(),
  configMapName: text(),
  secretName: text(),
  settings: texts(),
});
export type AdditionalController = InferType<typeof additionalController>;

export const pipelinesAsCodeFields = {
  settings: texts(),
  additionalPACControllers: s.map(additionalController).optional(),
  options: options.optional(),
};
const pipelinesAsCode = s.object({ ...pipelinesAsCodeFields, enable: flag() });
export type PipelinesAsCodeSettings = InferType<typeof pipelinesAsCode>;
export { pipelinesAsCode };

const queue = s.object(
  {
    queueName: text(),
    multiKueueOverride: flag().inGo('value'),
    cel: s.object({ expressions: s.list(s.string()).optional() }).optional(),
  },
  { preserveUnknown: true },
);
export const schedulerFields = {
  disabled: s.boolean().inGo('pointer'),
  'config.yaml': queue,
  'multi-cluster-disabled': s.boolean(),
  'multi-cluster-role': s.string(),
  options: options.optional(),
};
const scheduler = s.object(schedulerFields);
export type SchedulerSettings = InferType<typeof scheduler>;
