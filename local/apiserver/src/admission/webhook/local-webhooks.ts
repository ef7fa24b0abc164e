/** The response of a webhook: a review, or a Status with its code. */
export interface LocalAnswer {
  readonly code: number;
  readonly body: object;
}

/** Answers reviews that are sent to the paths of a Service. */
export interface LocalWebhook {
  /** Never rejects. The signal ends it, in `timeoutMs`. */
  answer(path: string, review: object, timeoutMs: number, signal: AbortSignal): Promise<LocalAnswer>;
  /** Whether writes of this sort are always allowed. Then the webhook is not called. */
  passes?(path: string, write: { readonly operation: string; readonly subresource: string }): boolean;
}

/** Which Service a webhook is behind. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
}

/** A write, and the user who sends it. */
export interface LocalWrite {
  readonly operation: string;
  readonly subresource: string;
  readonly user: { readonly name: string };
}

/** A Service whose webhooks this process serves soon. */
interface Expectation {
  /** The user as which the process installs the objects that its webhooks need. */
  readonly installer: string;
  readonly ended: Promise<void>;
  end(): void;
}

/**
 * Webhooks that live in this process. A configuration or definition that names one of these Services is served by a
 * call instead of a connection: no certificates, no network, no encoding. All else is as over HTTPS: which webhooks are
 * called, in which version, with which timeout, and the messages.
 *
 * A process that starts with stored configurations of its webhooks expects its Services: until they are served, calls
 * wait, and the writes of the installer pass. Otherwise the webhooks would deny the objects without which they cannot
 * be served.
 */
export class LocalWebhooks {
  private readonly services = new Map<string, LocalWebhook>();
  private readonly expected = new Map<string, Expectation>();

  /** Until it is disposed. One Service can only be served once at a time. */
  serve(service: WebhookService, webhook: LocalWebhook): Disposable {
    const key = keyOf(service);
    if (this.services.has(key)) throw new Error(`the Service ${key} has webhooks in this process already`);
    this.services.set(key, webhook);
    this.expected.get(key)?.end();
    return {
      [Symbol.dispose]: () => {
        if (this.services.get(key) === webhook) this.services.delete(key);
      },
    };
  }

  /** Until the Service is served, or this is disposed. `installer`: the user whose writes pass meanwhile. */
  expect(service: WebhookService, installer: string): Disposable {
    const key = keyOf(service);
    let resolve = () => {};
    const ended = new Promise<void>((done) => {
      resolve = done;
    });
    const end = () => {
      if (this.expected.get(key) === expectation) this.expected.delete(key);
      resolve();
    };
    const expectation: Expectation = { installer, ended, end };
    this.expected.set(key, expectation);
    return { [Symbol.dispose]: end };
  }

  find(service: WebhookService): LocalWebhook | undefined {
    return this.services.get(keyOf(service));
  }

  /** Resolves when the Service is served, or not expected. Rejects when the signal is aborted. */
  async started(service: WebhookService, signal: AbortSignal): Promise<void> {
    const expectation = this.expected.get(keyOf(service));
    if (!expectation) return;
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    await Promise.race([expectation.ended, late]);
  }

  /** Whether a write is allowed without a review. */
  passes(service: WebhookService, path: string, write: LocalWrite): boolean {
    if (this.expected.get(keyOf(service))?.installer === write.user.name) return true;
    return this.find(service)?.passes?.(path, write) === true;
  }
}

function keyOf({ namespace, name }: WebhookService): string {
  return `${namespace}/${name}`;
}
