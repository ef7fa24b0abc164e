import type { Duplex } from 'node:stream';
import { badRequestError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { PortDialer } from '../../request/api-response.ts';

/** The ports that a request names: protocols without them name a port with each connection. */
export function readPorts(query: URLSearchParams): number[] {
  const ports = query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .filter(Boolean);
  return ports.map((text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw badRequestError(`unable to parse ${JSON.stringify(text)} as a port`);
    return port;
  });
}

type DialPod = (pod: Pod, port: number, signal: AbortSignal) => Promise<Duplex>;

/** Dials a Pod's ports, with errors in the words of a kubelet. Undefined: its node cannot. */
export function portDialer(dial: DialPod | undefined, pod: Pod): PortDialer | undefined {
  if (!dial) return undefined;
  const { name, namespace, uid } = pod.metadata;
  return {
    async dial(port, signal) {
      try {
        return await dial(pod, port, signal);
      } catch (error) {
        const reason = (error as Error).message;
        throw new Error(`error forwarding port ${port} to pod ${name}_${namespace}, uid ${uid}: ${reason}`, {
          cause: error,
        });
      }
    },
  };
}
