import type { Client } from '@tektite/client';
import { controllerReference, isStatusError, isTransient, type Owner } from '@tektite/meta';
import { succeededCondition } from '../conditions/succeeded-condition.ts';
import type { Param } from '../kinds/param.ts';
import {
  ResolutionRequest,
  type ResolutionRequestObject,
  type ResolutionRequestSpec,
  resolverTypeLabel,
} from '../kinds/resolution-request.ts';
import type { RefSource } from '../kinds/run-status.ts';
import { RemoteFailure, RemotePending } from './remote-failure.ts';
import { resolutionRequestName } from './request-name.ts';

/** Something that is fetched from elsewhere, with its variables already replaced. */
export interface RemoteReference {
  readonly resolver: string;
  readonly params?: readonly Param[];
  /** The name of a reference, if it looks like a URL. */
  readonly url?: string;
  /** For whom, if not for the owner: the TaskRun that will ask for the same finds the answer there. */
  readonly name?: string;
}

/** Where requests are found and made. */
export interface RequestPlace {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Reads a cache of requests. Without it requests are read from the API. */
  readonly findRequest?: (key: {
    readonly namespace: string;
    readonly name: string;
  }) => ResolutionRequestObject | undefined;
}

/** The content that a resolver returned. */
interface RemoteContent {
  /** Where it stands. The same object as long as nothing changes, if it comes from a cache. */
  readonly request: ResolutionRequestObject;
  readonly data: Uint8Array;
  readonly refSource: RefSource | undefined;
}

/**
 * The content of what a run refers to. Makes the request for it if there is none yet. Throws {@link RemotePending} until it has
 * an answer, and a {@link RemoteFailure} if the answer is no.
 *
 * The request has the run as its owner, so a controller that watches `owned(ResolutionRequest)` is woken by the answer.
 */
export async function requestRemote(
  owner: Owner,
  reference: RemoteReference,
  place: RequestPlace,
): Promise<RemoteContent> {
  const { namespace = '', name: ownerName = '' } = owner.metadata;
  const spec = specOf(reference);
  const name = resolutionRequestName(reference.resolver, { namespace, name: reference.name ?? ownerName }, spec);
  const request = await find({ namespace, name }, place);
  if (!request) {
    await create(owner, { namespace, name }, reference.resolver, spec, place);
    throw new RemotePending();
  }
  return contentOf(request);
}

function specOf({ params = [], url = '' }: RemoteReference): ResolutionRequestSpec {
  return { ...(params.length > 0 ? { params } : {}), ...(url === '' ? {} : { url }) };
}

type Key = Readonly<Record<'namespace' | 'name', string>>;

async function find(key: Key, place: RequestPlace): Promise<ResolutionRequestObject | undefined> {
  const { client, signal, findRequest } = place;
  if (findRequest) return findRequest(key);
  return client.getOrUndefined(ResolutionRequest, key, { signal });
}

async function create(
  owner: Owner,
  { namespace, name }: Key,
  resolver: string,
  spec: ResolutionRequestSpec,
  { client, signal }: RequestPlace,
): Promise<void> {
  const metadata = {
    namespace,
    name,
    labels: { [resolverTypeLabel]: resolver },
    ownerReferences: [controllerReference(owner)],
  };
  try {
    await client.create(ResolutionRequest, { metadata, spec }, { signal });
  } catch (error) {
    // A cache may not show it yet.
    if (isStatusError(error, 'AlreadyExists')) return;
    throw terminalError(error);
  }
}

/** The error of a request that the API denies for good. Transient errors are returned as they are. */
function terminalError(error: unknown): unknown {
  if (!isStatusError(error) || isTransient(error) || error.code === 409) return error;
  return new RemoteFailure('resolution', `error requesting remote resource: ${error.message}`, { cause: error });
}

/** The content of a request. */
function contentOf(request: ResolutionRequestObject): RemoteContent {
  const { status } = request;
  const succeeded = succeededCondition(status);
  if (!status || !succeeded || succeeded.status === 'Unknown') throw new RemotePending();
  if (succeeded.status !== 'True')
    throw new RemoteFailure('resolution', `error requesting remote resource: ${succeeded.message ?? ''}`);
  return { request, data: decodeBase64(status.data), refSource: status.refSource ?? undefined };
}

function decodeBase64(text: string): Uint8Array {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const bytes = Buffer.from(plain, 'base64');
  // Node skips over what is no base64.
  if (bytes.toString('base64') === plain) return bytes;
  const place = plain.search(/[^A-Za-z0-9+/]/);
  throw new RemoteFailure(
    'resolution',
    `error accessing data from remote resource: error decoding data from base64: illegal base64 data at input byte ${place < 0 ? plain.length : place}`,
  );
}
