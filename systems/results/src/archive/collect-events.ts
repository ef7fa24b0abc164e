import { stringifyJson } from '@tektite/meta';
import { type Client, kinds } from '@tektite/client';
import { keyOfMetadata, type Run } from '../kinds/runs.ts';

export const eventListType = 'results.tekton.dev/v1.EventList';

/** The Events about a run, and about its Pod, as upstream stores them: of their metadata, only the names and the time. */
export async function eventsOf(client: Client, { metadata, kind, status }: Run, signal: AbortSignal): Promise<Buffer> {
  const { namespace = '' } = keyOfMetadata(metadata);
  const list = (fieldSelector: string) => client.list(kinds.Event, { namespace, fieldSelector, signal });
  const about = await list(`involvedObject.uid=${metadata.uid}`);
  const { podName } = status ?? {};
  const ofPod = kind === 'TaskRun' && podName ? (await list(`involvedObject.name=${podName}`)).items : [];
  const items = [...about.items, ...ofPod].map((event) => ({
    ...event,
    metadata: {
      name: event.metadata.name,
      namespace: event.metadata.namespace,
      creationTimestamp: event.metadata.creationTimestamp,
    },
  }));
  return Buffer.from(stringifyJson({ metadata: {}, items }));
}
