import { ApiServer, inProcessTransport } from '@tektite/apiserver';
import { Client } from '@tektite/client';
import type { PlanServer } from '@tektite/manifest';

/** The server has no webhooks and no service account controller to wait for, and plans are not limited by quota. */
const withoutPlugins = ['ServiceAccount', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook', 'ResourceQuota'];

/** An API server in memory, for plans. */
export async function openPlanServer(): Promise<PlanServer> {
  const server = await ApiServer.create({ disabledAdmissionPlugins: withoutPlugins });
  const user = { name: 'plan', groups: ['system:masters', 'system:authenticated'] };
  const client = new Client(inProcessTransport(server, user));
  return {
    client,
    seed: (object) => server.restore(object),
    async close() {
      await client.close();
      await server.close();
    },
  };
}
