import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { LocalWebhookService } from './local-webhook-service.ts';
import { webhookCases } from './webhook.cases.ts';
import { WebhookService } from './webhook-service.ts';

webhookCases({
  name: 'of the same process as the embedded server',
  start: () => startControlPlane(),
  serve: (cluster, namespace, webhooks) =>
    LocalWebhookService.start({
      host: (cluster as ControlPlane).server.localWebhooks,
      client: cluster.client,
      webhooks,
      service: { namespace, name: 'hooks' },
    }),
});

webhookCases({
  name: 'over HTTPS, called by the embedded server',
  isRemote: true,
  start: () => startControlPlane(),
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
