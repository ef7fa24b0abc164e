import type { HostInfo } from '../kinds/byo-host.ts';
import type { K8sInstallerSpec } from '../kinds/k8s-installer-config.ts';
import { type RegistryRow, type ResolveOptions, resolveBundle } from './installer-registry.ts';
import { installScript } from './scripts/install-script.ts';
import type { ScriptPair } from './scripts/script-inputs.ts';
import { uninstallScript } from './scripts/uninstall-script.ts';
import { upstreamScripts } from './scripts/upstream-scripts.ts';

/** Scripts, or why there are none. */
export type Generated =
  | { readonly ok: true; readonly scripts: ScriptPair }
  | { readonly ok: false; readonly failureReason: string; readonly failureMessage: string };

/**
 * The scripts of the default installer for a host and a version. Pure: the same input gives the same bytes.
 *
 * @example
 * k8sScripts(standardRows, host, 'v1.26.6', { bundleRepo: 'registry.example.com/bundles', bundleType: 'k8s' })
 */
export function k8sScripts(
  rows: readonly RegistryRow[],
  host: HostInfo,
  k8sVersion: string,
  spec: K8sInstallerSpec,
  options: ResolveOptions = {},
): Generated {
  const violation = violationIn(spec);
  if (violation !== undefined) return { ok: false, failureReason: 'InvalidConfiguration', failureMessage: violation };
  const bundle = resolveBundle(rows, host, k8sVersion, options);
  if (!bundle.ok) return bundle;
  const { packages } = bundle;
  if (spec.scriptFlavor === 'upstream' && packages !== 'deb')
    return {
      ok: false,
      failureReason: 'InvalidConfiguration',
      failureMessage: `scriptFlavor upstream has no steps for hosts with packages of ${packages}`,
    };
  const address = `${spec.bundleRepo.replace(/\/+$/, '')}/${bundle.bundle}`;
  const inputs = { address, arch: host.architecture ?? '', packages, ...(spec.proxy ? { proxy: spec.proxy } : {}) };
  const scripts =
    spec.scriptFlavor === 'upstream'
      ? upstreamScripts(inputs)
      : { install: installScript(inputs), uninstall: uninstallScript(packages) };
  return { ok: true, scripts };
}

/** Values that cannot be rendered into a script. Valid values are quoted, so that each is one word of one command. */
function violationIn({ bundleRepo, bundleType, proxy }: K8sInstallerSpec): string | undefined {
  if (bundleType !== 'k8s') return `bundleType ${JSON.stringify(bundleType)} is not known; there is k8s`;
  if (bundleRepo.trim() === '') return 'bundleRepo is empty; name the registry or folder of the bundles';
  const texts = [bundleRepo, proxy?.httpProxy, proxy?.httpsProxy, ...(proxy?.noProxy ?? [])];
  for (const text of texts) {
    if (text?.includes('{{')) return `${JSON.stringify(text)} has {{ in it, which the agent would take for a variable`;
    if (text !== undefined && hasControls(text)) return `${JSON.stringify(text)} has control characters in it`;
  }
  if (/(?:^|\/)\.\.(?:\/|$)/.test(bundleRepo.replace(/^[a-z-]+:/, '')))
    return `bundleRepo ${JSON.stringify(bundleRepo)} leads out of its folder`;
  return undefined;
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 32 || text.charCodeAt(i) === 127) return true;
  return false;
}
