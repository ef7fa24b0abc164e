import { ConfigError, customConfig } from '@tektite/controller/config';

/** Where SPIRE is, from the ConfigMap `config-spire`. No component here asks it; what could not be used is reported. */
export const spireConfig = customConfig('config-spire', (data) => {
  const text = (key: string, fallback: string) => (Object.hasOwn(data, key) ? (data[key] ?? '') : fallback);
  const values = {
    'spire-node-alias-prefix': text('spire-node-alias-prefix', '/tekton-node/'),
    'spire-server-addr': text('spire-server-addr', 'spire-server.spire.svc.cluster.local:8081'),
    'spire-socket-path': text('spire-socket-path', 'unix:///spiffe-workload-api/spire-agent.sock'),
    'spire-trust-domain': text('spire-trust-domain', 'example.org'),
  };
  const unset = Object.keys(values).filter((key) => values[key as keyof typeof values] === '');
  const fail = (why: string, key: string) => new ConfigError(`failed to parse SPIRE configmap: ${why}`, key);
  if (unset[0] !== undefined) throw fail(`found unset spire configuration flags: [${unset.join(' ')}]`, unset[0]);
  if (!values['spire-node-alias-prefix'].startsWith('/'))
    throw fail('Spire node alias should start with a /', 'spire-node-alias-prefix');
  return values;
});
