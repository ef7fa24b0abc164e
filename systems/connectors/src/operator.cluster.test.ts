import { startRealControlPlane } from '@tektite/testkit';
import { operatorCases } from './operator.cases.ts';

operatorCases({
  name: 'on a real kube-apiserver',
  start: () => startRealControlPlane(),
  webhooks: () => ({
    service: { namespace: 'default', name: 'connectors-webhook' },
    port: 0,
    url: (port: number) => `https://127.0.0.1:${port}`,
  }),
});
