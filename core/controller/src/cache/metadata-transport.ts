import type { Transport, TransportRequest } from '@tektite/client';

/**
 * A way to the same server on which objects come as `PartialObjectMetadata`: apiVersion, kind (both of that type) and
 * metadata. A client over it is what an informer that needs nothing else should use; writes pass unchanged.
 *
 * @example
 * const metadataClient = new Client(metadataTransport(transport));
 */
export function metadataTransport(inner: Transport): Transport {
  return {
    request: (request) => inner.request(asMetadata(request, false)),
    watch: (request) => inner.watch(asMetadata(request, true)),
    stream: (request) => inner.stream(request),
    close: () => inner.close(),
  };
}

function asMetadata(request: TransportRequest, isWatch: boolean): TransportRequest {
  if (request.method !== 'GET' || request.accept !== undefined) return request;
  const form = formOf(request.path);
  if (!form) return request;
  const as = isWatch || form === 'object' ? 'PartialObjectMetadata' : 'PartialObjectMetadataList';
  return { ...request, accept: `application/json;as=${as};g=meta.k8s.io;v=v1` };
}

/** Whether a path names a collection or one object; undefined for discovery, subresources and what is no resource. */
function formOf(path: string): 'collection' | 'object' | undefined {
  const [, root, ...segments] = path.split('/');
  if (root !== 'api' && root !== 'apis') return undefined;
  const rest = segments.slice(root === 'api' ? 1 : 2);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const own = inNamespace ? rest.slice(2) : rest;
  if (own.length === 1) return 'collection';
  return own.length === 2 ? 'object' : undefined;
}
