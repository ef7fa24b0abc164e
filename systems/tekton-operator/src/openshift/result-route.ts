import type { Manifest, Transform } from '@tektite/manifest';
import type { TektonResult } from '../kinds/kinds.ts';
import type { ComponentExtension, ExtensionContext } from '../extension/extension.ts';
import type { Progress } from '../extension/progress.ts';
import { mappingAt } from '../transform/draft-fields.ts';
import { operandLabel } from '../transform/operand-label.ts';
import { moveIntoNamespace } from './openshift-transforms.ts';

type Settings = Partial<NonNullable<TektonResult['spec']>>;

const usesLoki = ({ loki_stack_name, loki_stack_namespace, logs_type = '' }: Settings) =>
  Boolean(loki_stack_name && loki_stack_namespace) || logs_type.toLowerCase() === 'loki';

/** The parts of Results that only OpenShift has: a Route to its API, and the rights to read logs of Loki. */
export const resultParts: Required<Pick<ComponentExtension<TektonResult>, 'preReconcile' | 'postReconcile'>> = {
  preReconcile: (run) => ensurePart(run, 'pre', 'static/tekton-results/logs-rbac', usesLoki(run.component.spec ?? {})),
  postReconcile: (run) => {
    const isWanted = run.component.spec?.route_enabled === true;
    return ensurePart(run, 'post', 'static/tekton-results/route-rbac', isWanted);
  },
};

async function ensurePart(
  { component, namespace, services, ensureSet, removeSet }: ExtensionContext<TektonResult>,
  type: 'pre' | 'post',
  folder: string,
  isWanted: boolean,
): Promise<Progress> {
  const manifest: Manifest | undefined = isWanted ? await services.payload.extra(folder) : undefined;
  if (!manifest) {
    await removeSet(type);
    return 'done';
  }
  const placed = manifest.transform(
    moveIntoNamespace(namespace),
    operandLabel('tektoncd-results'),
    routeFields(component.spec ?? {}),
  );
  return (await ensureSet(type, placed)).state === 'ready' ? 'done' : 'later';
}

/** The Route as the settings of Results have it. */
function routeFields({ route_host, route_path, route_tls_termination }: Settings): Transform {
  return function routeFields(draft) {
    if (draft.kind !== 'Route' || draft.metadata.name !== 'tekton-results-api') return;
    const spec = mappingAt(draft, 'spec');
    if (!spec) return;
    if (route_host) spec.host = route_host;
    if (route_path) spec.path = route_path;
    if (route_tls_termination) spec.tls = { ...mappingAt(draft, 'spec', 'tls'), termination: route_tls_termination };
  };
}

/** OpenShift makes the certificate of the API's Service. */
export const withServingCertificate: Transform = function withServingCertificate(draft) {
  if (draft.kind !== 'Service' || draft.metadata.name !== 'tekton-results-api-service') return;
  draft.metadata.annotations = {
    ...draft.metadata.annotations,
    'service.beta.openshift.io/serving-cert-secret-name': 'tekton-results-tls',
  };
};
