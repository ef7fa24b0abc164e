import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Clock } from '@tektite/meta';
import type { KubeApi } from '../api/kube-api.ts';
import { LiveCollection } from '../api/live-collection.ts';
import { collectionPath } from '../api/resource.ts';
import { type BoardItem, boardItem, type BoardSection } from './board.ts';
import type { DiscoveryStore, ServedResource } from './discovery-store.ts';

export interface BoardStoreOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly schedule: (flush: () => void) => void;
  readonly discovery: DiscoveryStore;
}

/** An object of a board, and the objects that are part of it. */
export interface BoardCard {
  readonly resource: ServedResource;
  readonly item: BoardItem;
  readonly parts: readonly BoardCard[];
}

export interface ShownSection {
  readonly title: string;
  readonly cards: readonly BoardCard[];
}

interface Watched {
  readonly section: BoardSection;
  readonly resource: ServedResource;
  readonly collection: LiveCollection<BoardItem>;
}

/** The objects of a board, live: of each kind of its sections that the server has. */
export class BoardStore {
  private readonly watched = signal<readonly Watched[] | undefined>(undefined);
  private readonly boardSections: readonly BoardSection[];
  private readonly options: BoardStoreOptions;
  private readonly unsubscribe: () => void;

  constructor(sections: readonly BoardSection[], options: BoardStoreOptions) {
    this.boardSections = sections;
    this.options = options;
    void options.discovery.load();
    this.unsubscribe = effect(() => {
      const served = options.discovery.resources.value;
      if (served && !this.watched.peek()) this.watched.value = sections.flatMap((each) => this.watch(each, served));
    });
  }

  /** Undefined until the kinds of the server are known; without sections that it has no kinds of. */
  readonly sections: ReadonlySignal<readonly ShownSection[] | undefined> = computed(() => {
    const watched = this.watched.value;
    if (!watched) return undefined;
    return this.boardSections.flatMap((section) => {
      const own = watched.filter((each) => each.section === section);
      return own.length === 0 ? [] : [{ title: section.title, cards: cardsOf(section, own) }];
    });
  });

  readonly isLoading: ReadonlySignal<boolean> = computed(
    () => this.watched.value?.some(({ collection }) => collection.state.value === 'loading') ?? true,
  );

  /** Of kinds that the user may not list, or of a server that cannot be reached. */
  readonly error: ReadonlySignal<string | undefined> = computed(
    () =>
      this.options.discovery.error.value ??
      this.watched.value?.flatMap(({ collection }) => collection.error.value?.message ?? [])[0],
  );

  stop(): void {
    this.unsubscribe();
    for (const { collection } of this.watched.peek() ?? []) collection.stop();
  }

  private watch(section: BoardSection, served: readonly ServedResource[]): readonly Watched[] {
    const { api, clock, schedule } = this.options;
    const rank = ({ plural }: ServedResource) => {
      const index = section.first.indexOf(plural);
      return index < 0 ? section.first.length : index;
    };
    return served
      .filter(section.isIn)
      .sort((a, b) => rank(a) - rank(b) || a.plural.localeCompare(b.plural))
      .map((resource) => {
        const path = collectionPath(resource);
        return {
          section,
          resource,
          collection: new LiveCollection({ api, clock, schedule, path, summarize: boardItem }).start(),
        };
      });
  }
}

/** Parts stand within their whole; those without one stand for themselves. */
function cardsOf(section: BoardSection, watched: readonly Watched[]): readonly BoardCard[] {
  const all = watched.flatMap(({ resource, collection }) => {
    void collection.version.value;
    const items = [...collection.items.values()].sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
    return items.map((item): BoardCard => ({ resource, item, parts: [] }));
  });
  const isPart = ({ resource }: BoardCard) => section.parts.includes(resource.plural);
  const parts = all.filter(isPart);
  const wholes = all.filter((card) => !isPart(card));
  const belongs = ({ item }: BoardCard, part: BoardCard) =>
    part.item.partOf === item.kind || part.item.partOf === `${item.kind} ${keyOf(item)}`;
  const alone = parts.filter((part) => !wholes.some((card) => belongs(card, part)));
  return [...wholes.map((card) => ({ ...card, parts: parts.filter((part) => belongs(card, part)) })), ...alone];
}

function keyOf({ namespace, name }: BoardItem): string {
  return namespace ? `${namespace}/${name}` : name;
}
