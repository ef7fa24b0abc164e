import type { PackageSystem } from './package-system.ts';
import { shellQuote } from '../shell-quote.ts';

/** The inputs of the default installer's scripts. */
export interface ScriptInputs {
  /** Where the bundle is: `registry/name:tag`, `oci-layout:/path/name:tag` or `dir:/path/name:tag`. */
  readonly address: string;
  /** As the host reports it. */
  readonly arch: string;
  readonly packages: PackageSystem;
  readonly proxy?: {
    readonly httpProxy?: string;
    readonly httpsProxy?: string;
    readonly noProxy?: readonly string[];
  };
}

/** An install and an uninstall script. Both still have `{{.BundleDownloadPath}}` in them, for the agent to fill in. */
export interface ScriptPair {
  readonly install: string;
  readonly uninstall: string;
}

/** The packages of a bundle in the order of their installation, and its archives. */
export const bundlePackages: readonly string[] = ['cri-tools', 'kubernetes-cni', 'kubectl', 'kubelet', 'kubeadm'];
export function bundleFiles(packages: PackageSystem): readonly string[] {
  return [...bundlePackages.map((name) => `${name}.${packages}`), 'containerd.tar', 'conf.tar'];
}

/** The proxy as lines of a shell, for the script's own downloads. */
export function proxyExports({ proxy }: ScriptInputs): string {
  return proxyVariables(proxy)
    .flatMap(([name, value]) => [name, name.toLowerCase()].map((each) => `export ${each}=${shellQuote(value)}\n`))
    .join('');
}

/** The proxy as a drop-in of a service. Empty without one. */
export function proxyDropIn({ proxy }: ScriptInputs): string {
  const lines = proxyVariables(proxy).map(([name, value]) => `Environment="${name}=${systemdEscape(value)}"`);
  return lines.length === 0 ? '' : `[Service]\n${lines.join('\n')}\n`;
}

function proxyVariables(proxy: ScriptInputs['proxy'] = {}): readonly (readonly [string, string])[] {
  const all = [
    ['HTTP_PROXY', proxy.httpProxy ?? ''],
    ['HTTPS_PROXY', proxy.httpsProxy ?? ''],
    ['NO_PROXY', (proxy.noProxy ?? []).join(',')],
  ] as const;
  return all.filter(([, value]) => value !== '');
}

/** Units interpret backslashes, quotes, and `%` specifiers. */
function systemdEscape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('\n', '\\n');
}
