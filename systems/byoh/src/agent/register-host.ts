import type { Client } from '@tektite/client';
import { validateDns1123Subdomain, isStatusError, sleep } from '@tektite/meta';
import { ByoHost } from '../kinds/byo-host.ts';
import { HostRecord } from './host-record.ts';
import type { HostFacts } from './sandbox/sandbox.ts';

export interface Registration {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /** For a host that is new; those of one that is known are the administrator's. */
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: HostFacts;
  readonly signal: AbortSignal;
}

const patienceMs = 60_000;
const pollMs = 500;

/** Makes the ByoHost of this host if there is none, and writes what the host is. */
export async function registerHost({ client, namespace, name, labels, facts, signal }: Registration): Promise<ByoHost> {
  const [failure] = validateDns1123Subdomain(name);
  if (failure !== undefined)
    throw new Error(`the name of this host, ${JSON.stringify(name)}, cannot be that of a node: ${failure}`);
  const host = await findOrCreate({ client, namespace, name, labels, facts, signal });
  const record = new HostRecord(client, host);
  await record.change((seen) => ({
    ...seen,
    status: { ...seen.status, hostinfo: facts.info, network: facts.network },
  }));
  return record.current;
}

/** The manager grants a host its rights after its certificate was approved: they may be a moment behind it. */
async function findOrCreate({ client, namespace, name, labels, signal }: Registration): Promise<ByoHost> {
  const until = client.clock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await client.get(ByoHost, { namespace, name }, { signal });
    } catch (error) {
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Forbidden')) throw error;
    }
    try {
      await client.create(ByoHost, { metadata: { namespace, name, labels }, spec: {} }, { signal });
    } catch (error) {
      const isForbidden = isStatusError(error, 'Forbidden');
      if (!isForbidden && !isStatusError(error, 'AlreadyExists')) throw error;
      if (isForbidden && client.clock.monotonic() > until) throw notAllowed(name, namespace, error);
      await sleep(client.clock, pollMs, signal);
    }
  }
}

function notAllowed(name: string, namespace: string, cause: Error): Error {
  return new Error(
    `the host ${name} may not register in the namespace ${namespace}: ${cause.message}; it may in the namespace of its ` +
      'bootstrap kubeconfig, which --namespace names',
    { cause },
  );
}
