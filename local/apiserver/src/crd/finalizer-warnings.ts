import { isQualifiedName, type KubeObject, quoteGo } from '@tektite/meta';

const standard = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What there is to say about the finalizers that a custom resource has got: others may have the same idea for a name. */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = new Set(old?.metadata.finalizers);
  const added = [...new Set(object.metadata.finalizers)].filter((name) => !before.has(name)).sort();
  return added.flatMap((name) =>
    finalizerViolations(name).map((text) => `metadata.finalizers: ${quoteGo(name)}: ${text}`),
  );
}

function finalizerViolations(name: string): readonly string[] {
  const violations = isQualifiedName(name);
  if (name.includes('/') || standard.has(name)) return violations;
  const path = name.includes('.') ? ' including a path (/)' : '';
  return [
    ...violations,
    `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ];
}
