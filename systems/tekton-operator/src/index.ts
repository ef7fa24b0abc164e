/** The Tekton Operator on Tektite's controller runtime. */

// Kinds
export { allKinds } from './kinds/all-kinds.ts';
export { TektonConfig } from './kinds/tekton-config.ts';
export { operatorWebhooks } from './webhooks/operator-webhooks.ts';
