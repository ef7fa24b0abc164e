import type { Client } from '@tektite/client';
import { isStatusError, type KubeObject, type Random, randomUid } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { RemoteFailure } from './remote-failure.ts';

export interface ValidationPlace {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly random: Random;
}

/**
 * Validates a fetched object by a dry run: it is created in the run's namespace, under an unused name, but not kept. So
 * webhooks, policies and the schema apply as for an object of the cluster. Returns the object with its defaults and its
 * own metadata.
 */
export async function validateRemote<T extends KubeObject>(
  kind: Kind<T>,
  object: T,
  namespace: string,
  { client, signal, random }: ValidationPlace,
): Promise<T> {
  const { resourceVersion: _, uid: __, managedFields: ___, ...metadata } = object.metadata;
  const draft = { ...object, metadata: { ...metadata, name: randomUid(random), namespace } };
  try {
    const stored = await client.create(kind, draft as never, { signal, dryRun: true });
    return { ...stored, apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
  } catch (error) {
    throw denial(error, object.metadata.name ?? '');
  }
}

/** A permanent denial, or the error itself, which may be transient. */
function denial(error: unknown, name: string): unknown {
  if (!isStatusError(error)) return error;
  if (error.code === 400)
    return new RemoteFailure('validation', `validation failed for referenced object ${name}: ${error.message}`, {
      cause: error,
    });
  if (error.code !== 422 && error.code !== 405) return error;
  const message = `permanent error validating referenced object ${name}: ${error.message}`;
  return new RemoteFailure('validation', message, { cause: error, isUserError: true });
}
