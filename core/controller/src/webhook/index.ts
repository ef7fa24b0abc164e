/** Webhooks: defaulting, validation and conversion, served over HTTPS or in process. */
export type {
  AdmissionOperation,
  AdmissionRequest,
  AdmissionResponse,
  ReviewUser,
} from './admission-review.ts';
export type { AdmissionContext, AdmissionOptions, AdmissionRule, AdmissionWebhook } from './admission-webhook.ts';
export { configMapWebhook, type ConfigMapWebhookOptions } from './config-map-webhook.ts';
export { conversion, type ConversionOptions, type Spoke, spoke } from './conversion.ts';
export {
  type ConversionRule,
  conversionWebhook,
  type ConversionWebhook,
  type ConversionWebhookOptions,
} from './conversion-webhook.ts';
export type { GoFieldNames } from './decode-error.ts';
export {
  defaulting,
  type DefaultingRule,
  defaultingWebhook,
  type DefaultingWebhookOptions,
} from './defaulting-webhook.ts';
export {
  type LocalWebhookHost,
  LocalWebhookService,
  type LocalWebhookServiceOptions,
} from './local-webhook-service.ts';
export { retireWebhooks } from './retire-webhooks.ts';
export type { Webhook } from './review-handler.ts';
export {
  validating,
  type ValidatingRule,
  validatingWebhook,
  type ValidatingWebhookOptions,
  type ValidationResult,
} from './validating-webhook.ts';
export { type WebhookAddress, webhookConfigurations } from './webhook-configurations.ts';
export { conversionsOf, type WebhookConversion } from './webhook-registration.ts';
export { type WebhookHealth, WebhookService, type WebhookServiceOptions } from './webhook-service.ts';
