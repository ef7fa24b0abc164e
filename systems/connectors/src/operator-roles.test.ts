import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { operatorCases } from './operator.cases.ts';

const service = { namespace: 'default', name: 'connectors-webhook' };

operatorCases({
  name: 'on the embedded server',
  start: () => startControlPlane({ disabledAdmissionPlugins: ['ServiceAccount'] }),
  webhooks: (cluster) => ({ host: (cluster as ControlPlane).server.localWebhooks, service }),
});
