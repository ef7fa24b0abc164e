import type { LocalWebhookHost } from '@tektite/controller/webhook';

type Service = Parameters<LocalWebhookHost['serve']>[0];
type Webhook = Parameters<LocalWebhookHost['serve']>[1];

/** A process that serves webhooks. */
export interface WebhookServer {
  /** Whether it is a living incarnation. */
  lives(): boolean;
  /** Whether this call does not reach it. */
  isDown(): boolean;
}

interface Endpoint {
  readonly webhook: Webhook;
  readonly server: WebhookServer;
}

const unavailable = {
  code: 503,
  body: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 503, message: 'the webhook does not answer' },
};

/**
 * Stands between the API server and the webhooks of all components. A Service is served from the first time on, by any living process of
 * the component; when there is none, or a fault strikes, it answers 503, as a Service without endpoints does.
 */
export class WebhookGate {
  private readonly host: LocalWebhookHost;
  private readonly services = new Map<string, Endpoint[]>();

  constructor(host: LocalWebhookHost) {
    this.host = host;
  }

  /** The host for one incarnation of a component. */
  open(server: WebhookServer): LocalWebhookHost {
    return {
      serve: (service, webhook) => {
        const endpoints = this.endpointsOf(service);
        const endpoint = { webhook, server };
        endpoints.unshift(endpoint);
        return {
          [Symbol.dispose]: () => {
            const index = endpoints.indexOf(endpoint);
            if (index >= 0) endpoints.splice(index, 1);
          },
        };
      },
    };
  }

  private endpointsOf(service: Service): Endpoint[] {
    const key = `${service.namespace}/${service.name}`;
    const known = this.services.get(key);
    if (known) return known;
    const endpoints: Endpoint[] = [];
    this.services.set(key, endpoints);
    const living = () => endpoints.find(({ server }) => server.lives());
    this.host.serve(service, {
      answer: async (path, review, timeoutMs, signal) => {
        const endpoint = living();
        if (!endpoint || endpoint.server.isDown()) return unavailable;
        return endpoint.webhook.answer(path, review, timeoutMs, signal);
      },
      passes: (path, write) => living()?.webhook.passes(path, write) === true,
    });
    return endpoints;
  }
}
