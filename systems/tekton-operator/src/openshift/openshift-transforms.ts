import type { Transform } from '@tektite/manifest';
import { isMapping, listAt, mappingAt } from '../transform/draft-fields.ts';
import { mountCertificates, withCertificateVolumes } from '../transform/certificate-bundles.ts';
import { type DraftContainer, templateIn } from '../transform/workload.ts';

/** The platform says who Pods run as. */
export const withoutUsers: Transform = function withoutUsers(draft) {
  const template = templateIn(draft, 'Deployment', 'StatefulSet', 'Job');
  if (!template) return;
  const { securityContext } = template.spec;
  if (securityContext) {
    const { runAsUser: _user, runAsGroup: _group, fsGroup: _files, ...rest } = securityContext;
    template.spec.securityContext = rest;
  }
  for (const container of template.spec.containers as DraftContainer[]) {
    if (!container.securityContext) continue;
    const { runAsUser: _user, runAsGroup: _group, ...rest } = container.securityContext;
    container.securityContext = rest;
  }
};

/** Certificates of the platform, for programs that read `SSL_CERT_DIR`. Without them Pods start all the same. */
export const withCertificates: Transform = function withCertificates(draft) {
  const template = templateIn(draft, 'Deployment', 'StatefulSet');
  if (!template) return;
  template.spec.volumes = withCertificateVolumes(template.spec.volumes) as typeof template.spec.volumes & object;
  for (const container of template.spec.containers) mountCertificates(container);
};

const clusterScoped = new Set(['ClusterRole', 'ClusterRoleBinding']);

/** Roles, Routes and the like into the namespace of the component, and what they are bound to. */
export function moveIntoNamespace(namespace: string): Transform {
  return function moveIntoNamespace(draft) {
    if (!clusterScoped.has(draft.kind)) draft.metadata.namespace = namespace;
    else delete draft.metadata.namespace;
    for (const subject of listAt(draft, 'subjects'))
      if (isMapping(subject) && Object.hasOwn(subject, 'namespace')) subject.namespace = namespace;
  };
}

/** Where monitors look. */
export function moveMonitors(namespace: string): Transform {
  return function moveMonitors(draft) {
    const selector = draft.kind === 'ServiceMonitor' ? mappingAt(draft, 'spec', 'namespaceSelector') : undefined;
    if (selector) selector.matchNames = [namespace];
  };
}
