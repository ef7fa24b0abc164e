import type { Transform } from '@tektite/manifest';
import { mappingAt } from '../transform/draft-fields.ts';
import { type DraftContainer, putVariable, replaceByName, templateIn } from '../transform/workload.ts';

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

const bundles = [
  { volume: 'config-trusted-cabundle-volume', map: 'config-trusted-cabundle', key: 'ca-bundle.crt' },
  { volume: 'config-service-cabundle-volume', map: 'config-service-cabundle', key: 'service-ca.crt' },
];
const folder = '/tekton-custom-certs';

/** Certificates of the platform, for programs that read `SSL_CERT_DIR`. Without them Pods start all the same. */
export const withCertificates: Transform = function withCertificates(draft) {
  const template = templateIn(draft, 'Deployment', 'StatefulSet');
  if (!template) return;
  template.spec.volumes = replaceByName(
    template.spec.volumes,
    bundles.map(({ volume, map, key }) => ({
      name: volume,
      configMap: { name: map, optional: true, items: [{ key, path: key }] },
    })),
  ) as typeof template.spec.volumes & object;
  for (const container of template.spec.containers) {
    if (!container.env?.some(({ name }) => name === 'SSL_CERT_DIR'))
      putVariable(container, { name: 'SSL_CERT_DIR', value: `${folder}:/etc/ssl/certs:/etc/pki/tls/certs` });
    container.volumeMounts = replaceByName(
      container.volumeMounts,
      bundles.map(({ volume, key }) => ({ name: volume, mountPath: `${folder}/${key}`, subPath: key, readOnly: true })),
    ) as DraftContainer['volumeMounts'] & object;
  }
};

/** Where monitors look. */
export function moveMonitors(namespace: string): Transform {
  return function moveMonitors(draft) {
    const selector = draft.kind === 'ServiceMonitor' ? mappingAt(draft, 'spec', 'namespaceSelector') : undefined;
    if (selector) selector.matchNames = [namespace];
  };
}
