import pc from 'picocolors';
import { builtInSystems } from '../catalog/built-in-systems.ts';
import type { UpRecord } from '../up-record.ts';

export interface AnnouncementOptions {
  /** The user's own kubeconfig has the connection, under the context `tektite`. */
  readonly hasContext: boolean;
  /** The web page, with a one-time code. */
  readonly pageLink?: string | undefined;
}

/** The text of `tektite up` once it serves: the systems, every address, and the next commands to try. */
export function announcement(record: Omit<UpRecord, 'process'>, { hasContext, pageLink }: AnnouncementOptions): string {
  const { server, folder, inMemory, kubeconfig, statusUrl, runtime, systems } = record;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['state', inMemory ? 'in memory, lost when this process ends' : folder],
    ['kubeconfig', kubeconfig],
    ['Pods', runtimes[runtime]],
    ['systems', systems.join(', ') || 'none; --systems names some, --help lists them'],
    ['dashboard', pageLink],
    ['health', statusUrl && `${statusUrl}/healthz`],
    ['metrics', statusUrl && `${statusUrl}/metrics`],
  ];
  const lines = rows.filter(([, value]) => value).map(([name, value]) => `  ${name.padEnd(12)}${value}`);
  const kubectl = hasContext ? 'kubectl --context tektite' : `kubectl --kubeconfig ${kubeconfig}`;
  const next = builtInSystems
    .filter(({ name }) => systems.includes(name))
    .flatMap(({ next: command }) => (command ? [command.replace('KUBECONFIG', kubeconfig)] : []));
  const tries = [`${kubectl} get namespaces`, `export KUBECONFIG=${kubeconfig}`, ...next];
  return (
    `${pc.bold('tektite')} serves the Kubernetes API at ${pc.cyan(server)}\n${lines.join('\n')}\n\n` +
    `${tries.map((command, index) => `${index === 0 ? 'Try:' : '    '}  ${pc.cyan(command)}\n`).join('')}\n` +
    `${pc.dim('Ctrl-C stops it.')}\n`
  );
}

const runtimes: Readonly<Record<string, string>> = {
  auto: 'containers of images, or of programs of this machine',
  images: 'containers of images',
  host: 'sandboxed processes of this machine',
  podman: 'containers of podman',
  simulated: 'simulated',
  none: 'not run here',
};
