import { ApiServer, inProcessTransport } from '@tektite/apiserver';
import { Client } from '@tektite/client';
import type { PlanServer } from '@tektite/manifest';

/** Nobody is there to answer webhooks or to make service accounts, and who plans is not asked for a quota. */
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
