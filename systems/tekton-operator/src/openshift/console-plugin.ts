import { readFileSync } from 'node:fs';
import type { Client } from '@tektite/client';
import { canonicalHash, type Transform } from '@tektite/manifest';
import { dynamicKind } from '@tektite/schema';
import type { ExtensionContext } from '../extension/extension.ts';
import type { Progress } from '../extension/progress.ts';
import { keys } from '../installer-set/set-keys.ts';
import type { TektonConfig } from '../kinds/tekton-config.ts';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { mappingAt } from '../transform/draft-fields.ts';
import { schedulePods } from '../transform/scheduling.ts';
import { templateIn } from '../transform/workload.ts';
import { nginxWithTls } from './nginx-tls.ts';
import type { TlsProfile } from './tls-profile.ts';

const plugin = 'pipelines-console-plugin';
const set = { createdBy: 'tekton-config-console-plugin-manifests', type: 'config' };
const clusterVersions = dynamicKind({
  group: 'config.openshift.io',
  version: 'v1',
  kind: 'ClusterVersion',
  plural: 'clusterversions',
  scope: 'Cluster',
});
/** Consoles before this version of OpenShift want the older plugin. */
const firstNewMinor = 22;

/** Ensures the plugin of OpenShift's console, where the payload has it. */
export async function ensureConsolePlugin(
  { client, component, namespace, services, sets }: ExtensionContext<TektonConfig>,
  profile: TlsProfile | undefined,
): Promise<Progress> {
  const manifest = await services.payload.extra('static/tekton-config/00-console-plugin');
  if (!manifest) {
    await sets.remove(set.createdBy, set.type);
    return 'done';
  }
  const image = pluginImage(services.environment, await openShiftVersion(client));
  const { objects } = manifest.transform(
    placePlugin(namespace),
    withNginxTls(profile),
    schedulePods(component.spec?.config),
    ...(image ? [withImage(image)] : []),
  );
  const [existing] = sets.of(set.createdBy, set.type);
  const state = await sets.ensure({
    ...set,
    targetNamespace: namespace,
    version: services.version,
    hash: canonicalHash(objects),
    // Upstream keeps no hash: what its set has is compared.
    compared: { annotation: keys.lastAppliedHash, absent: canonicalHash(existing?.spec?.manifests ?? []) },
    onChange: 'recreate',
    parts: [{ generateName: `${set.createdBy}-`, objects }],
  });
  if (state.state === 'notReady') throw new Error(state.message);
  return state.state === 'ready' ? 'done' : 'later';
}

/** Into the namespace of Tekton; the plugin names the Service there. */
function placePlugin(namespace: string): Transform {
  return function placePlugin(draft) {
    if (draft.kind !== 'ConsolePlugin') {
      draft.metadata.namespace = namespace;
      return;
    }
    const service = mappingAt(draft, 'spec', 'backend', 'service');
    if (service) service.namespace = namespace;
  };
}

function withNginxTls(profile: TlsProfile | undefined): Transform {
  return function withNginxTls(draft) {
    const data = draft.kind === 'ConfigMap' && draft.metadata.name === plugin ? mappingAt(draft, 'data') : undefined;
    const text = data?.['nginx.conf'];
    if (data && typeof text === 'string') data['nginx.conf'] = nginxWithTls(text, profile, isFips());
  };
}

function withImage(image: string): Transform {
  return function withImage(draft) {
    for (const container of templateIn(draft, 'Deployment')?.spec.containers ?? [])
      if (container.name === plugin) container.image = image;
  };
}

/** Major and minor version of the cluster; nothing where it does not say. */
async function openShiftVersion(client: Client): Promise<readonly [number, number] | undefined> {
  const found = (await client.getOrUndefined(clusterVersions, { name: 'version' })) as
    | { readonly status?: { readonly desired?: { readonly version?: string } } }
    | undefined;
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(found?.status?.desired?.version ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

/** The configured image for this version of the console. */
export function pluginImage(
  environment: OperatorEnvironment,
  version: readonly [number, number] | undefined,
): string | undefined {
  const isOld = version !== undefined && version[0] === 4 && version[1] < firstNewMinor;
  return environment[isOld ? 'IMAGE_PIPELINES_CONSOLE_PLUGIN_LEGACY' : 'IMAGE_PIPELINES_CONSOLE_PLUGIN'];
}

/** Whether the kernel is restricted to FIPS 140. */
function isFips(): boolean {
  try {
    return readFileSync('/proc/sys/crypto/fips_enabled', 'utf8').trim() === '1';
  } catch {
    return false;
  }
}
