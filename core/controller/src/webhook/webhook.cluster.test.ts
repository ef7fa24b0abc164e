import { startRealControlPlane } from '@tektite/testkit';
import { webhookCases } from './webhook.cases.ts';
import { WebhookService } from './webhook-service.ts';

webhookCases({
  name: 'over HTTPS, called by a real kube-apiserver',
  isRemote: true,
  start: () => startRealControlPlane(),
  serve: ({ client }, namespace, webhooks) =>
    WebhookService.start({
      client,
      webhooks,
      service: { namespace, name: 'hooks' },
      host: '127.0.0.1',
      port: 0,
      url: (port) => `https://127.0.0.1:${port}`,
    }),
});
