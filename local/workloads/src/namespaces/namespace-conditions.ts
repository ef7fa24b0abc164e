import type { Namespace } from '@tektite/schema/kubernetes';

type NamespaceCondition = NonNullable<NonNullable<Namespace['status']>['conditions']>[number];

/** The result of one attempt to empty a namespace. */
export interface ContentReport {
  /** Groups that could not be asked what they serve. */
  readonly undiscovered: readonly string[];
  /** An error of content deletion. */
  readonly failures: readonly string[];
  /** How many objects are left, by `plural.group`; the core group leaves a dot at the end. */
  readonly remaining: ReadonlyMap<string, number>;
  /** How many of them have a finalizer, by its name. */
  readonly finalizers: ReadonlyMap<string, number>;
}

type ConditionText = Pick<NamespaceCondition, 'status' | 'reason' | 'message'>;

const fine = (reason: string, message: string): ConditionText => ({ status: 'False', reason, message });
const bad = (reason: string, message: string): ConditionText => ({ status: 'True', reason, message });

/** The conditions of a namespace on its way out, in the order that upstream writes them. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  report: ContentReport,
  now: string,
): readonly NamespaceCondition[] {
  let conditions = before;
  for (const [type, text] of conditionTexts(report)) conditions = put(conditions, type, text, now);
  return conditions;
}

function conditionTexts({ undiscovered, failures, remaining, finalizers }: ContentReport): [string, ConditionText][] {
  return [
    [
      'NamespaceDeletionDiscoveryFailure',
      undiscovered.length > 0
        ? bad(
            'DiscoveryFailed',
            `Discovery failed for some groups, ${undiscovered.length} failing: unable to retrieve the complete list of server APIs: ${undiscovered.join(', ')}`,
          )
        : fine('ResourcesDiscovered', 'All resources successfully discovered'),
    ],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      fine('ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    ],
    [
      'NamespaceDeletionContentFailure',
      failures.length > 0
        ? bad(
            'ContentDeletionFailed',
            `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
          )
        : fine('ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    ],
    [
      'NamespaceContentRemaining',
      remaining.size > 0
        ? bad('SomeResourcesRemain', `Some resources are remaining: ${counts(remaining, 'has')}`)
        : fine('ContentRemoved', 'All content successfully removed'),
    ],
    [
      'NamespaceFinalizersRemaining',
      finalizers.size > 0
        ? bad(
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${counts(finalizers, 'in')}`,
          )
        : fine('ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
    ],
  ];
}

function counts(map: ReadonlyMap<string, number>, word: string): string {
  return [...map]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ');
}

function put(
  conditions: readonly NamespaceCondition[],
  type: string,
  text: ConditionText,
  now: string,
): readonly NamespaceCondition[] {
  const index = conditions.findIndex((condition) => condition.type === type);
  const old = conditions[index];
  if (!old) return [...conditions, { type, ...text, lastTransitionTime: now }];
  if (old.status === text.status && old.reason === text.reason && old.message === text.message) return conditions;
  const lastTransitionTime = old.status === text.status ? (old.lastTransitionTime ?? now) : now;
  return conditions.with(index, { type, ...text, lastTransitionTime });
}
