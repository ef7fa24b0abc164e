import { formatApiVersion, type KubeList, type KubeObject } from '@tektite/meta';
import type { ResolvedKind } from './kind-reference.ts';
import type { TransportStream, WireEvent } from './transport/transport.ts';

/** Asks for nothing but metadata. A server that does not know the form answers with the whole object. */
export const metadataForm = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
export const metadataListForm = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Metadata arrive as PartialObjectMetadata. */
export function asKind<T extends KubeObject>(object: T, kind: ResolvedKind): T {
  return { ...object, apiVersion: formatApiVersion(kind), kind: kind.kind };
}

export function itemsAsKind<T extends KubeObject>(list: KubeList<T>, kind: ResolvedKind): KubeList<T> {
  return { ...list, items: (list.items ?? []).map((item) => asKind(item, kind)) };
}

/** The same stream, in which every object has its kind. */
export function eventsAsKind(stream: TransportStream<WireEvent>, kind: ResolvedKind): TransportStream<WireEvent> {
  const { status, headers, warnings } = stream;
  return {
    status,
    headers,
    warnings,
    close: () => stream.close(),
    async *[Symbol.asyncIterator]() {
      for await (const event of stream)
        yield event.type === 'ERROR' ? event : { ...event, object: asKind(event.object as KubeObject, kind) };
    },
  };
}
