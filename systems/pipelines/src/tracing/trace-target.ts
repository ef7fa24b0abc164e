import { type Client, kinds } from '@tektite/client';
import { Informer } from '@tektite/controller/cache';
import type { Secret } from '@tektite/schema/kubernetes';
import type { TracingConfig } from '../config/tracing-config.ts';

/** A collector that takes OTLP over HTTP. */
export interface TraceTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the traces of the process there from now on, or nowhere. Resolves when what was collected before is sent. */
export type SendTraces = (target: TraceTarget | undefined) => Promise<void>;

export interface TraceTargetOptions {
  readonly client: Client;
  /** The namespace of the Secret. */
  readonly namespace: string;
  readonly send: SendTraces;
  readonly onError: (error: Error) => void;
}

/**
 * Has traces sent as `config-tracing` says, and with the credentials of its Secret, both as they change. A Secret that does not exist
 * changes nothing until it does.
 */
export class FollowedTraceTarget {
  private readonly options: TraceTargetOptions;
  private config: TracingConfig | undefined;
  private secrets: Informer<Secret> | undefined;
  private sent = '';
  private busy: Promise<void> = Promise.resolve();

  constructor(options: TraceTargetOptions) {
    this.options = options;
  }

  follow(config: TracingConfig): void {
    this.config = config;
    const before = this.secrets;
    this.secrets =
      config.isEnabled && config.credentialsSecret !== '' ? this.watch(config.credentialsSecret) : undefined;
    this.queue(async () => before?.stop());
    if (!config.isEnabled) this.send(undefined);
    else if (!this.secrets) this.send(targetOf(config, undefined));
  }

  /** Sends what was collected, and nothing afterwards. */
  async stop(): Promise<void> {
    await this.secrets?.stop();
    this.send(undefined);
    await this.busy;
  }

  private watch(name: string): Informer<Secret> {
    const { client, namespace, onError } = this.options;
    const take = (secret: Secret) => {
      if (this.config?.credentialsSecret === name) this.send(targetOf(this.config, secret));
    };
    const informer = new Informer<Secret>(client, kinds.Secret, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      onError,
    });
    informer.addHandler({ added: take, modified: take, deleted: () => undefined });
    informer.start();
    informer.synced().then(
      () => {
        if (this.secrets === informer && informer.store.list().length === 0)
          onError(new Error(`unable to initialize tracing with error : secret "${name}" not found`));
      },
      () => undefined,
    );
    return informer;
  }

  private send(target: TraceTarget | undefined): void {
    const text = target === undefined ? '' : JSON.stringify(target);
    if (text === this.sent) return;
    this.sent = text;
    this.queue(() => this.options.send(target));
  }

  private queue(work: () => Promise<void>): void {
    this.busy = this.busy
      .then(work)
      .catch((cause: Error) =>
        this.options.onError(new Error(`unable to initialize tracing with error : ${cause.message}`, { cause })),
      );
  }
}

/** Credentials are sent only if there are both. */
export function targetOf({ endpoint: url }: TracingConfig, secret: Secret | undefined): TraceTarget {
  const value = (key: string) => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();
  const [username, password] = [value('username'), value('password')];
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return { url, headers: username !== '' && password !== '' ? { Authorization: `Basic ${basic}` } : {} };
}
