/** Tekton Triggers on Tektite's controller runtime. */
export { allKinds } from './kinds/all-kinds.ts';
export { triggersWebhooks } from './webhooks/triggers-webhooks.ts';
