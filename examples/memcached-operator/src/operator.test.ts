import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { operatorCases } from './operator.cases.ts';

const service = { namespace: 'default', name: 'memcached-webhook' };

operatorCases({
  name: 'in the process of the embedded server',
  start: () => startControlPlane(),
  webhooks: (cluster) => ({ host: (cluster as ControlPlane).server.localWebhooks, service }),
});

operatorCases({
  name: 'with webhooks over HTTPS',
  start: () => startControlPlane(),
  webhooks: () => ({ service, port: 0, url: (port: number) => `https://127.0.0.1:${port}` }),
});
