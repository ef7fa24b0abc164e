import { type ClientConfig, httpTransport, type Transport } from '@tektite/client';

/** A server that this one asks or reports to, as a kubeconfig names it: its address, whom to believe, and as whom. */
export interface WebhookServer {
  /** Posts JSON and gives back what was answered. Throws an Error for anything but success. */
  post(body: object | string, options: PostOptions): Promise<unknown>;
  close(): Promise<void>;
}

interface PostOptions {
  readonly timeoutMs: number;
  readonly query?: URLSearchParams;
}

/** The address of the kubeconfig is the whole address of the webhook. */
export function webhookServer(config: ClientConfig): WebhookServer {
  const transport: Transport = httpTransport(config);
  const path = new URL(config.server).pathname === '/' ? '/' : '';
  return {
    async post(body, { timeoutMs, query }) {
      const answer = await transport.request({ method: 'POST', path, body, timeoutMs, ...(query ? { query } : {}) });
      if (answer.status < 200 || answer.status > 299) throw new Error(`the webhook answered with ${answer.status}`);
      return answer.body;
    },
    close: () => transport.close(),
  };
}
