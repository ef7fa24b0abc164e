import { labelSelectorOf, selectEverything } from '@tektite/meta';
import type { EventListenerObject, TriggerSelector } from '../kinds/event-listener.ts';
import type { TriggerObject } from '../kinds/trigger.ts';
import type { TriggerStore } from './trigger-store.ts';

/** Whether the listener's account may list the Triggers of a namespace; `undefined` stands for all namespaces. */
export type MayList = (namespace: string | undefined) => Promise<boolean>;

/**
 * The Triggers that selectors name. Without namespaces, those of the listener's namespace if there is a label selector, none
 * otherwise. Namespaces whose Triggers the listener's account may not list throw, as upstream's listener fails there.
 */
export async function selectTriggers(
  { triggers }: Pick<TriggerStore, 'triggers'>,
  { namespaceSelector, labelSelector }: TriggerSelector,
  ownNamespace: string,
  mayList: MayList,
): Promise<readonly TriggerObject[]> {
  const selector = labelSelector ? labelSelectorOf(labelSelector) : selectEverything;
  const names = namespaceSelector?.matchNames ?? [];
  if (names.length === 0 && !labelSelector) return [];
  const isAll = names.length === 1 && names[0] === '*';
  const namespaces = isAll ? [undefined] : names.length > 0 ? names : [ownNamespace];
  const found: TriggerObject[] = [];
  for (const namespace of namespaces) {
    if (namespace !== ownNamespace && !(await mayList(namespace)))
      throw new Error(`the EventListener's account cannot list triggers in ${namespace ?? 'all namespaces'}`);
    found.push(...triggers.list(namespace));
  }
  return found.filter(({ metadata }) => selector.matches(metadata.labels ?? {}));
}

/** The Triggers of a listener: those selected, then those it names or contains, in order. */
export function mergeTriggers(
  { metadata, spec }: EventListenerObject,
  selected: readonly TriggerObject[],
  store: Pick<TriggerStore, 'triggers'>,
  onMissing: (name: string) => void,
): readonly TriggerObject[] {
  const { namespace = '' } = metadata;
  const own = (spec.triggers ?? []).flatMap((trigger): readonly TriggerObject[] => {
    const { template, triggerRef = '', name, bindings, interceptors, serviceAccountName } = trigger;
    if (template)
      return [
        {
          apiVersion: 'triggers.tekton.dev/v1beta1',
          kind: 'Trigger',
          metadata: { ...(name === undefined ? {} : { name }), namespace },
          spec: {
            template,
            bindings: bindings ?? [],
            ...(interceptors ? { interceptors } : {}),
            ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
          },
        },
      ];
    if (triggerRef === '') throw new Error('EventListenerTrigger not defined');
    const found = store.triggers.get(`${namespace}/${triggerRef}`);
    if (!found) onMissing(triggerRef);
    return found ? [found] : [];
  });
  return [...selected, ...own];
}
