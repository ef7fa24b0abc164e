import type { Service } from '@tektite/schema/kubernetes';

/**
 * The variables by which containers find the Services of their namespace, as a kubelet sets them: `WEB_SERVICE_HOST`,
 * `WEB_SERVICE_PORT`, and those of Docker's links. Services without a cluster address have none.
 */
export function serviceLinks(services: readonly Service[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const { clusterIP = '', ports = [] } = spec ?? {};
    const [first] = ports;
    if (clusterIP === '' || clusterIP === 'None' || !first) continue;
    const prefix = variableName(metadata.name ?? '');
    const host = clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP;
    variables.set(`${prefix}_SERVICE_HOST`, clusterIP);
    variables.set(`${prefix}_SERVICE_PORT`, String(first.port));
    for (const { name, port } of ports)
      if (name) variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
    for (const [index, { port, protocol = 'TCP' }] of ports.entries()) {
      const url = `${protocol.toLowerCase()}://${host}:${port}`;
      const link = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
      if (index === 0) variables.set(`${prefix}_PORT`, url);
      variables.set(link, url);
      variables.set(`${link}_PROTO`, protocol.toLowerCase());
      variables.set(`${link}_PORT`, String(port));
      variables.set(`${link}_ADDR`, clusterIP);
    }
  }
  return variables;
}

function variableName(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}
