import { type Generated, installerController, shellQuote } from '@tektite/byoh';
import type { System } from '@tektite/controller';
import type { ClusterRole } from '@tektite/schema/kubernetes';
import { EchoInstallerConfig, EchoInstallerConfigTemplate } from './echo-installer-config.ts';

/** Scripts that say what they would do. Pure: the same host and version give the same bytes. */
function echoScripts(osname: string, version: string, greeting: string): Generated {
  if (osname !== 'linux')
    return { ok: false, failureReason: 'UnsupportedOS', failureMessage: `${JSON.stringify(osname)} is not linux` };
  const say = (what: string) => `#!/bin/bash
set -euo pipefail
note='{{.BundleDownloadPath}}/echo-installer'
printf '%s: ${what} Kubernetes %s\\n' ${shellQuote(greeting)} ${shellQuote(version)}
`;
  return {
    ok: true,
    scripts: {
      install: `${say('installing')}mkdir -p "$(dirname "$note")"\necho ${shellQuote(version)} >"$note"\n`,
      uninstall: `${say('removing')}rm -f "$note"\n`,
    },
  };
}

/** The manager of bring your own host makes the configs, and has to be allowed to. Bind it to the manager's account. */
const managerRole: ClusterRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'byoh-manager-echo-installer' },
  rules: [
    {
      apiGroups: ['example.dev'],
      resources: ['echoinstallerconfigs', 'echoinstallerconfigtemplates'],
      verbs: ['get', 'list', 'watch', 'create'],
    },
  ],
};

/** A second installer: `tektite up --systems byoh,./examples/echo-installer` runs it beside the default one. */
export const system: System = {
  name: 'echo-installer',
  kinds: [EchoInstallerConfig, EchoInstallerConfigTemplate],
  controllers: [
    installerController({
      name: 'echoinstallerconfig',
      kind: EchoInstallerConfig,
      finalizer: 'example.dev/echo-installer',
      generate: ({ osname = '' }, version, { spec }) => echoScripts(osname, version, spec?.greeting ?? 'hello'),
    }),
  ],
  permissions: [
    { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'get', 'update'] },
    { apiGroups: ['cluster.x-k8s.io'], resources: ['clusters', 'machines'], verbs: ['get'] },
  ],
  objects: [managerRole],
};
