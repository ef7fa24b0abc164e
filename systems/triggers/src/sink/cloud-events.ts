import { goJson } from '@tektite/go';
import { type Clock, sleep } from '@tektite/meta';
import type { Logger } from '@tektite/controller';
import type { Headers } from '../template/resolve-params.ts';
import { type ResolveHost, sendRequest } from './send-request.ts';

/** The phases of processing, which Events and CloudEvents report. */
export type Phase = 'started' | 'successful' | 'failed' | 'done' | 'accepted';

export const eventType = (phase: Phase): string => `dev.tekton.event.triggers.${phase}.v1`;

export interface Report {
  readonly phase: Phase;
  readonly listener: { readonly name: string; readonly namespace: string };
  readonly eventId: string;
  /** Of the request; not every report has them. */
  readonly headers?: Headers;
  /** A report about a listener that was not read yet has its kind, others do not: so upstream's sources are. */
  readonly hasKind: boolean;
}

const attempts = 10;
const firstWaitMs = 10;
const timeoutMs = 5000;

/** Sends reports as CloudEvents to the address that a listener names, with upstream's retries. Failures are logged. */
export class CloudEventSender {
  private readonly clock: Clock;
  private readonly resolve: ResolveHost;
  private readonly log: Logger;
  private readonly signal: AbortSignal;

  constructor(options: {
    readonly clock: Clock;
    readonly resolve: ResolveHost;
    readonly log: Logger;
    readonly signal: AbortSignal;
  }) {
    ({ clock: this.clock, resolve: this.resolve, log: this.log, signal: this.signal } = options);
  }

  async send(url: string, { phase, listener, eventId, headers, hasKind }: Report): Promise<void> {
    const [version, kind] = hasKind ? ['v1beta1', 'EventListener'] : ['', ''];
    const source = `/apis//${version}/namespaces/${listener.namespace}/${kind}/${listener.name}`;
    const request = {
      url,
      body: headers ? goJson(headers) : 'null',
      headers: {
        'Ce-Id': [eventId],
        'Ce-Source': [source],
        'Ce-Specversion': ['1.0'],
        'Ce-Subject': [`${listener.name} processing ${eventId}`],
        'Ce-Type': [eventType(phase)],
        'Content-Type': ['application/json'],
      },
      timeoutMs,
      signal: this.signal,
    };
    for (let attempt = 0; attempt <= attempts; attempt++) {
      try {
        const { code, status } = await sendRequest(request, this.resolve);
        if (code < 300) return;
        if (code < 500 && code !== 404 && code !== 425 && code !== 429) throw new Error(status);
      } catch (error) {
        if (attempt === attempts || this.signal.aborted) {
          this.log.error('failed to send cloudevent.', { error });
          return;
        }
      }
      await sleep(this.clock, firstWaitMs * 2 ** attempt, this.signal).catch(() => undefined);
    }
  }
}
