import { validateQualifiedName, type KubeObject, quoteGo } from '@tektite/meta';

const standard = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Warnings about the finalizers of a custom resource: names without a domain may collide. */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = new Set(old?.metadata.finalizers);
  const added = [...new Set(object.metadata.finalizers)].filter((name) => !before.has(name)).sort();
  return added.flatMap((name) =>
    finalizerViolations(name).map((text) => `metadata.finalizers: ${quoteGo(name)}: ${text}`),
  );
}

function finalizerViolations(name: string): readonly string[] {
  const violations = validateQualifiedName(name);
  if (name.includes('/') || standard.has(name)) return violations;
  const path = name.includes('.') ? ' including a path (/)' : '';
  return [
    ...violations,
    `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ];
}
