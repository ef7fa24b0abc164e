import { type Client, kinds, mergePatch } from '@tektite/client';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { TektonResult } from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import type { Platform } from '../platform/platform.ts';

/**
 * The migrations before a new version of the operator reconciles components, on a fresh cluster too. They are
 * idempotent. Resolves with whether the TektonConfig was changed.
 */
export async function runPreUpgrade(client: Client, config: TektonConfig, platform: Platform): Promise<boolean> {
  if (platform === 'openshift') await dropOwnCertificate(client);
  const patch = await specPatch(client, config);
  if (!patch) return false;
  await client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec: patch }));
  return true;
}

/** The changes of the spec: settings with another default, removed settings. */
async function specPatch(client: Client, { spec = {} }: TektonConfig): Promise<object | undefined> {
  const pipeline = {
    ...(spec.pipeline?.['enable-step-actions'] === true ? {} : { 'enable-step-actions': true }),
    ...(spec.pipeline?.['disable-affinity-assistant'] === undefined ? {} : { 'disable-affinity-assistant': null }),
  };
  const hub = spec.hub?.params?.length || spec.hub?.options?.deployments ? { hub: null } : {};
  const globalConfig = await storedPrunerConfig(client, spec);
  const patch = {
    ...(Object.keys(pipeline).length > 0 ? { pipeline } : {}),
    ...hub,
    ...(globalConfig ? { tektonpruner: { 'global-config': globalConfig } } : {}),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Once users changed the pruner's ConfigMap by hand; now the TektonConfig is where it is written. */
async function storedPrunerConfig(
  client: Client,
  spec: NonNullable<TektonConfig['spec']>,
): Promise<object | undefined> {
  if (spec.tektonpruner?.disabled !== false) return undefined;
  const key = { namespace: spec.targetNamespace ?? '', name: 'tekton-pruner-default-spec' };
  const map = await client.getOrUndefined(kinds.ConfigMap, key);
  const text = map?.data?.['global-config'];
  if (!text) return undefined;
  const value = parseFirstYaml(text)?.value;
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** On OpenShift the platform makes the certificate of Results; one that the operator made once is in its way. */
async function dropOwnCertificate(client: Client): Promise<void> {
  const result = await client.getOrUndefined(TektonResult, { name: 'result' });
  if (!result) return;
  const key = { namespace: result.spec?.targetNamespace ?? '', name: 'tekton-results-tls' };
  const secret = await client.getOrUndefined(kinds.Secret, key);
  if (secret && !secret.metadata.ownerReferences?.length) await client.delete(kinds.Secret, key);
}
