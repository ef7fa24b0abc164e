import type { LocalWebhookHost } from '@tektite/controller/webhook';

type Service = Parameters<LocalWebhookHost['serve']>[0];
type Webhook = Parameters<LocalWebhookHost['serve']>[1];

const unavailable = {
  code: 503,
  body: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 503, message: 'the webhook does not answer' },
};

/**
 * Stands between the API server and the webhooks of a component. The Service is served from the first time on; when no incarnation of the
 * component lives, or a fault strikes, it answers 503, as a Service without endpoints does.
 */
export class WebhookGate {
  private readonly host: LocalWebhookHost;
  private readonly isDown: () => boolean;
  private readonly served = new Map<string, { webhook: Webhook | undefined; lives: () => boolean }>();

  constructor(host: LocalWebhookHost, isDown: () => boolean) {
    this.host = host;
    this.isDown = isDown;
  }

  /** The host for one incarnation. */
  open(lives: () => boolean): LocalWebhookHost {
    return {
      serve: (service, webhook) => {
        const gate = this.gateOf(service);
        gate.webhook = webhook;
        gate.lives = lives;
        return {
          [Symbol.dispose]: () => {
            if (gate.webhook === webhook) gate.webhook = undefined;
          },
        };
      },
    };
  }

  private gateOf(service: Service): { webhook: Webhook | undefined; lives: () => boolean } {
    const key = `${service.namespace}/${service.name}`;
    const known = this.served.get(key);
    if (known) return known;
    const gate: { webhook: Webhook | undefined; lives: () => boolean } = { webhook: undefined, lives: () => false };
    this.served.set(key, gate);
    this.host.serve(service, {
      answer: async (path, review, timeoutMs, signal) => {
        const { webhook } = gate;
        if (!webhook || !gate.lives() || this.isDown()) return unavailable;
        return webhook.answer(path, review, timeoutMs, signal);
      },
      passes: (path, write) => gate.webhook?.passes(path, write) === true,
    });
    return gate;
  }
}
