/** What a webhook answered: a review, or a Status and the code that goes with it. */
export interface LocalAnswer {
  readonly code: number;
  readonly body: object;
}

/** Answers reviews that are sent to the paths of a Service. */
export interface LocalWebhook {
  /** Never rejects. The signal ends it, in `timeoutMs`. */
  answer(path: string, review: object, timeoutMs: number, signal: AbortSignal): Promise<LocalAnswer>;
  /** Whether writes of this sort are allowed as they are, whatever they bring. Then nobody asks. */
  passes?(path: string, write: { readonly operation: string; readonly subresource: string }): boolean;
}

/** Which Service a webhook is behind. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Webhooks that live in this process. A configuration or definition that names one of these Services is served by a call
 * instead of a connection: no certificates, no network, no encoding. All else is as if it had come over HTTPS: who is asked,
 * in which version, for how long, and what users get to read.
 */
export class LocalWebhooks {
  private readonly services = new Map<string, LocalWebhook>();

  /** Until it is disposed. One Service can only be served once at a time. */
  serve(service: WebhookService, webhook: LocalWebhook): Disposable {
    const key = keyOf(service);
    if (this.services.has(key)) throw new Error(`the Service ${key} has webhooks in this process already`);
    this.services.set(key, webhook);
    return {
      [Symbol.dispose]: () => {
        if (this.services.get(key) === webhook) this.services.delete(key);
      },
    };
  }

  find(service: WebhookService): LocalWebhook | undefined {
    return this.services.get(keyOf(service));
  }
}

function keyOf({ namespace, name }: WebhookService): string {
  return `${namespace}/${name}`;
}
