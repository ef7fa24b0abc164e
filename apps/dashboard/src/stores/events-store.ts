import { computed, type ReadonlySignal } from '@preact/signals-core';
import type { KubeObject } from '@tektite/meta';
import { LiveCollection, type LiveCollectionOptions } from '../api/live-collection.ts';
import { collectionPath, resources } from '../api/resource.ts';
import { visibleText } from '../run/index.ts';

/** An event as a list shows it. */
export interface ShownEvent {
  readonly uid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  readonly count: number;
  readonly at: number;
}

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

type Options = Pick<LiveCollectionOptions<ShownEvent>, 'api' | 'clock' | 'schedule'>;

/** The events about one object: live, newest first. */
export class EventsStore {
  private readonly collection: LiveCollection<ShownEvent>;

  constructor({ metadata, kind }: KubeObject, options: Options) {
    const { namespace = 'default', name = '' } = metadata;
    this.collection = new LiveCollection<ShownEvent>({
      ...options,
      path: collectionPath(resources.events, namespace),
      fieldSelector: `involvedObject.name=${name},involvedObject.kind=${kind}`,
      summarize: shownEvent,
    }).start();
  }

  readonly events: ReadonlySignal<readonly ShownEvent[]> = computed(() => {
    void this.collection.version.value;
    return [...this.collection.items.values()].sort((a, b) => b.at - a.at);
  });

  get state(): LiveCollection<ShownEvent>['state'] {
    return this.collection.state;
  }

  stop(): void {
    this.collection.stop();
  }
}

function shownEvent(object: KubeObject): ShownEvent {
  const { metadata, type = '', reason = '', message = '', count = 1, ...event } = object as EventObject;
  const time = event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? '';
  const source = event.source?.component ?? event.reportingComponent ?? '';
  return {
    uid: metadata.uid ?? '',
    type,
    reason: visibleText(reason),
    message: visibleText(message),
    count,
    source: visibleText(source),
    at: Date.parse(time) || 0,
  };
}
