/** Conditions of most components, besides Ready. */
export const standardConditions = [
  'DependenciesInstalled',
  'PreReconciler',
  'InstallerSetAvailable',
  'InstallerSetReady',
  'PostReconciler',
];

/** Of a component that needs Pipelines. */
export const needsPipelines = {
  installing: 'Dependency installing',
  missing: 'Dependency missing',
  pipelineName: 'tekton-pipelines',
} as const;

/** In the words of some components. */
export const needsPipelinesPlural = {
  installing: 'Dependencies are installing',
  missing: 'Dependencies are missing',
  pipelineName: 'tekton-pipelines',
} as const;

export const notNamespace = ({ kind }: { readonly kind: string }): boolean => kind !== 'Namespace';
