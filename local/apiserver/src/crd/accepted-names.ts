import { equalJson } from '@tektite/meta';
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@tektite/schema/kubernetes';

/** Names in use in an API group: those of resources and those of kinds share nothing. */
export interface NamesInUse {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The names that a definition gets, and its condition about them. */
export interface NamesDecision {
  readonly acceptedNames: CustomResourceDefinitionNames;
  readonly condition: {
    readonly type: 'NamesAccepted';
    readonly status: 'True' | 'False';
    readonly reason: string;
    readonly message: string;
  };
}

/** The names that definitions of a group were given. A definition counts with its own ones, too. */
export function namesInUse(definitions: Iterable<CustomResourceDefinition>, group: string): NamesInUse {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec, status } of definitions) {
    if (spec.group !== group || !status?.acceptedNames) continue;
    const { plural, singular, shortNames, kind, listKind } = status.acceptedNames;
    for (const name of [plural, singular ?? '', ...(shortNames ?? [])]) resources.add(name);
    for (const name of [kind, listKind ?? '']) kinds.add(name);
  }
  return { resources, kinds };
}

/** Whether the names of a definition wait for a decision. */
export function hasUndecidedNames({ spec, status }: CustomResourceDefinition): boolean {
  return !equalJson(spec.names, status?.acceptedNames);
}

/**
 * Accepts each requested name that the definition has already or that is free, and keeps the name it had otherwise. Of
 * several conflicts, the last one is reported.
 */
export function decideNames({ spec, status }: CustomResourceDefinition, inUse: NamesInUse): NamesDecision {
  const wanted = spec.names;
  const had = status?.acceptedNames ?? { plural: '', kind: '' };
  const accepted: { -readonly [Name in keyof CustomResourceDefinitionNames]: CustomResourceDefinitionNames[Name] } = {
    ...had,
  };
  let conflict: { reason: string; message: string } | undefined;
  const conflictOf = (name: string, own: string, used: ReadonlySet<string>) =>
    name !== own && used.has(name) ? `${JSON.stringify(name)} is already in use` : undefined;
  const decide = (name: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, used: ReadonlySet<string>) => {
    const requested = wanted[name] ?? '';
    const message = conflictOf(requested, had[name] ?? '', used);
    if (message !== undefined) conflict = { reason, message };
    else accepted[name] = requested;
  };
  decide('plural', 'PluralConflict', inUse.resources);
  decide('singular', 'SingularConflict', inUse.resources);
  const shortNames = wanted.shortNames ?? [];
  const messages = shortNames
    .filter((name) => !(had.shortNames ?? []).includes(name))
    .flatMap((name) => conflictOf(name, '', inUse.resources) ?? []);
  if (messages.length > 0) conflict = { reason: 'ShortNamesConflict', message: aggregate(messages) };
  else if (shortNames.length > 0) accepted.shortNames = shortNames;
  else delete accepted.shortNames;
  decide('kind', 'KindConflict', inUse.kinds);
  decide('listKind', 'ListKindConflict', inUse.kinds);
  if (wanted.categories) accepted.categories = wanted.categories;
  else delete accepted.categories;
  return {
    acceptedNames: accepted,
    condition: conflict
      ? { type: 'NamesAccepted', status: 'False', ...conflict }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  };
}

/** Several errors as Go joins them: each once. */
function aggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
