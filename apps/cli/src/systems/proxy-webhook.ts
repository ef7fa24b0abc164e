import type { System } from '@tektite/controller';
import { proxyWebhookSystem } from '@tektite/tekton-operator';

/** The webhook that gives Pods of runs the proxy of its process. */
export const proxyWebhook: System = proxyWebhookSystem();
