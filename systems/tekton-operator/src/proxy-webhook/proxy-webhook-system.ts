import { kinds } from '@tektite/client';
import type { System } from '@tektite/controller';
import { defaulting, defaultingWebhook } from '@tektite/controller/webhook';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { injectProxy } from './inject-proxy.ts';

/** Runs and those that Pipelines as Code starts. */
const managers = ['tekton-pipelines', 'pipelinesascode.tekton.dev'];

/**
 * The webhook that gives Pods of runs the proxy of its process: its own system, because the operator installs it into the namespace
 * of Tekton, and runs go on when the operator does not. Namespaces with the label `operator.tekton.dev/disable-proxy` are left out.
 */
export function proxyWebhookSystem(environment: OperatorEnvironment = process.env): System {
  const webhook = defaultingWebhook({
    name: 'proxy.operator.tekton.dev',
    rules: [defaulting(kinds.Pod, (pod) => injectProxy(pod, environment), { operations: ['CREATE'] })],
    namespaceSelector: {
      matchExpressions: [
        { key: 'operator.tekton.dev/disable-proxy', operator: 'DoesNotExist' },
        // Clusters that protect their own namespaces so would change the selector back again and again.
        { key: 'control-plane', operator: 'DoesNotExist' },
      ],
    },
    objectSelector: {
      matchExpressions: [{ key: 'app.kubernetes.io/managed-by', operator: 'In', values: managers }],
    },
  });
  return { name: 'proxy-webhook', kinds: [], controllers: [], webhooks: [webhook] };
}
