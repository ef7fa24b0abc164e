import { type DynamicObject, parseLabelSelector } from '@tektite/meta';
import type { Manifest, Predicate } from './manifest.ts';
import { groupOf, identityText } from './object-identity.ts';
import type { Scopes } from './scopes.ts';
import { valueAt } from './field-value.ts';

/** All hold; without any, everything is accepted. */
export function allOf(...predicates: readonly Predicate[]): Predicate {
  return (object, origin) => predicates.every((accepts) => accepts(object, origin));
}

/** At least one holds; without any, nothing is accepted. */
export function anyOf(...predicates: readonly Predicate[]): Predicate {
  return (object, origin) => predicates.some((accepts) => accepts(object, origin));
}

export function not(predicate: Predicate): Predicate {
  return (object, origin) => !predicate(object, origin);
}

export const everything: Predicate = () => true;
export const nothing: Predicate = () => false;

/** CustomResourceDefinitions, of whatever version. */
export function isDefinition(): Predicate {
  return ({ kind }) => kind === 'CustomResourceDefinition';
}

export function byName(name: string): Predicate {
  return ({ metadata }) => metadata.name === name;
}

export function byKind(...kinds: readonly string[]): Predicate {
  return ({ kind }) => kinds.includes(kind);
}

export function byGroup(group: string): Predicate {
  return (object) => groupOf(object) === group;
}

export function byGroupVersionKind(apiVersion: string, kind: string): Predicate {
  return (object) => object.apiVersion === apiVersion && object.kind === kind;
}

export function byNamespace(namespace: string): Predicate {
  return ({ metadata }) => (metadata.namespace ?? '') === namespace;
}

/** Names by a pattern in which `*` is any text and `?` any character. */
export function byNameGlob(pattern: string): Predicate {
  return ({ metadata }) => matchesGlob(metadata.name ?? '', pattern);
}

/** A label that is there, and has the value if one is given that is not empty. */
export function byLabel(key: string, value = ''): Predicate {
  return ({ metadata }) => hasValue(metadata.labels, key, value);
}

export function byAnnotation(key: string, value = ''): Predicate {
  return ({ metadata }) => hasValue(metadata.annotations, key, value);
}

/** Any of the labels matches, which is how Manifestival has it; a label that is missing equals an empty value. */
export function byAnyLabel(labels: Readonly<Record<string, string>>): Predicate {
  return ({ metadata }) => Object.entries(labels).some(([key, value]) => (own(metadata.labels, key) ?? '') === value);
}

/** The grammar of `kubectl -l`. Throws a SelectorError. */
export function bySelector(selector: string): Predicate {
  const parsed = parseLabelSelector(selector);
  return ({ metadata }) => parsed.matches(metadata.labels);
}

/** A field has a value, as `byField('spec.type', 'LoadBalancer')`. */
export function byField(path: string, value: unknown): Predicate {
  return (object) => valueAt(object, path) === value;
}

/** Also in the other manifest; versions do not matter. */
export function isIn(other: Manifest): Predicate {
  const known = new Set(other.items.map(({ object }) => identityText(object)));
  return (object) => known.has(identityText(object));
}

export function isNamespaced(scopes: Scopes): Predicate {
  return (object) => scopes.of(object) === 'Namespaced';
}

export function isClusterScoped(scopes: Scopes): Predicate {
  return (object) => scopes.of(object) === 'Cluster';
}

function hasValue(values: DynamicObject['metadata']['labels'], key: string, value: string): boolean {
  const found = own(values, key);
  return found !== undefined && (value === '' || found === value);
}

function own(values: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return values && Object.hasOwn(values, key) ? values[key] : undefined;
}

/** Linear in the length of both: a star that matched too little is only ever the last one. */
function matchesGlob(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++;
      resume = at;
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === text[at])) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}
