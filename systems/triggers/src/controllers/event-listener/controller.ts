import { type Client, kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, owned, requeueAfter } from '@tektite/controller';
import type { FeatureFlags } from '../../config/feature-flags.ts';
import { EventListener, type EventListenerObject } from '../../kinds/event-listener.ts';
import { decideStatus } from './decide.ts';
import { endpointsFor, serviceFor } from './listener-service.ts';

/** The parts of the process that serve listeners. */
export interface ListenerHost {
  /** Serves a listener. Resolves with its own port, if it has one. */
  ensure(listener: EventListenerObject): Promise<number | undefined>;
  stop(key: string): Promise<void>;
  /** The address of a listener on this machine. */
  localUrl(listener: EventListenerObject, port: number | undefined): string;
  /** The address that the cluster reaches this process at; with it, the Service of a listener leads here. */
  readonly clusterAddress?: string;
}

export interface EventListenerOptions {
  readonly flags: () => FeatureFlags;
  readonly host: ListenerHost;
}

const fieldManager = 'tekton-triggers';
/** A Secret that is missing may appear, a port may become free. */
const retryMs = 10_000;

/** Serves EventListeners, writes their Services and reports the address. */
export function eventListenerController({ flags, host }: EventListenerOptions): ControllerDefinition {
  const services = owned(kinds.Service);
  return defineController<EventListenerObject>({
    name: 'eventlistener',
    kind: EventListener,
    sources: [services],
    async reconcile(listener, { client, clock, writeStatus }) {
      if (listener.metadata.deletionTimestamp !== undefined) return undefined;
      const serviceError = await applyService(client, listener, flags().labelsExclusionPattern);
      const serving = await serve(client, listener, host);
      const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      await writeStatus(
        listener,
        decideStatus(listener, { ...serving, ...(serviceError ? { serviceError } : {}) }, now),
      );
      return (serviceError ?? serving.servingError) ? requeueAfter(retryMs) : undefined;
    },
    gone: (key) => host.stop(key),
  });
}

async function applyService(
  client: Client,
  listener: EventListenerObject,
  pattern: string,
): Promise<string | undefined> {
  try {
    await client.apply(serviceFor(listener, pattern), { force: true, fieldManager });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function serve(client: Client, listener: EventListenerObject, host: ListenerHost) {
  try {
    const port = await host.ensure(listener);
    const { clusterAddress } = host;
    if (clusterAddress !== undefined && port !== undefined)
      await client.apply(endpointsFor(listener, clusterAddress, port), {
        force: true,
        fieldManager,
      });
    return { localUrl: host.localUrl(listener, port) };
  } catch (error) {
    return { servingError: (error as Error).message };
  }
}
