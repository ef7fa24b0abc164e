import { type Client, kinds } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import type { Pod } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proxyWebhookSystem } from './proxy-webhook-system.ts';

const environment = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '.svc', HTTP_PROXY: '' };
const managed = { 'app.kubernetes.io/managed-by': 'tekton-pipelines' };
const folder = '/tekton-custom-certs';
const certificates = (at: string) => [
  {
    name: 'config-trusted-cabundle-volume',
    mountPath: `${at}/ca-bundle.crt`,
    subPath: 'ca-bundle.crt',
    readOnly: true,
  },
  {
    name: 'config-service-cabundle-volume',
    mountPath: `${at}/service-ca.crt`,
    subPath: 'service-ca.crt',
    readOnly: true,
  },
];

let plane: ControlPlane;
let client: Client;
let running: RunningSystems;

beforeAll(async () => {
  plane = await startControlPlane();
  client = plane.client;
  const service = { namespace: 'default', name: 'tekton-operator-proxy-webhook' };
  running = await startSystems([proxyWebhookSystem(environment)], {
    client,
    webhooks: { host: plane.server.localWebhooks, service },
  });
  await client.create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'default' } });
});
afterAll(async () => {
  await running.stop();
  await plane.close();
});

function create(name: string, spec: object, labels: object = managed, namespace = 'default'): Promise<Pod> {
  const pod = { metadata: { namespace, name, labels }, spec };
  return client.create(kinds.Pod, pod as never);
}

describe('a Pod of a run', () => {
  it('gets the proxy and the certificates in all containers, and not in init containers', async () => {
    const { spec } = await create('tr-pod', {
      initContainers: [{ name: 'prepare', image: 'i' }],
      containers: [
        { name: 'step-a', image: 'i' },
        { name: 'step-b', image: 'i', env: [{ name: 'HTTPS_PROXY', value: 'http://own' }] },
        { name: 'step-c', image: 'i', env: [{ name: 'SSL_CERT_DIR', value: '/own:/other' }] },
      ],
      volumes: [{ name: 'work', emptyDir: {} }],
    });
    const env = (index: number) => (spec?.containers?.[index]?.env ?? []).map(({ name, value }) => `${name}=${value}`);
    const defaultFolders = `SSL_CERT_DIR=${folder}:/etc/ssl/certs:/etc/pki/tls/certs`;
    expect(env(0)).toEqual(['HTTPS_PROXY=http://proxy:3128', 'NO_PROXY=.svc', defaultFolders]);
    expect(env(1)).toEqual(['HTTPS_PROXY=http://own', 'NO_PROXY=.svc', defaultFolders]);
    expect(env(2)).toEqual(['SSL_CERT_DIR=/own:/other', 'HTTPS_PROXY=http://proxy:3128', 'NO_PROXY=.svc']);
    const mounts = (index: number) =>
      (spec?.containers?.[index]?.volumeMounts ?? []).filter(({ name }) => name.startsWith('config-'));
    expect(mounts(0)).toEqual(certificates(folder));
    expect(mounts(2)).toEqual(certificates('/own'));
    expect(spec?.initContainers?.[0]).not.toHaveProperty('env');
    const named = (spec?.volumes ?? []).filter(({ name }) => name === 'work' || name.startsWith('config-'));
    expect(named.map(({ name, configMap }) => `${name} ${configMap?.optional}`)).toEqual([
      'work undefined',
      'config-trusted-cabundle-volume true',
      'config-service-cabundle-volume true',
    ]);
  });

  it('stays as it is in a namespace that wants no proxy, and so does every other Pod', async () => {
    const labels = { 'operator.tekton.dev/disable-proxy': 'true' };
    await client.create(kinds.Namespace, { metadata: { name: 'direct', labels } });
    await client.create(kinds.ServiceAccount, { metadata: { namespace: 'direct', name: 'default' } });
    const containers = [{ name: 'a', image: 'i' }];
    for (const pod of [
      await create('tr-pod', { containers }, managed, 'direct'),
      await create('other', { containers }, { 'app.kubernetes.io/managed-by': 'helm' }),
    ])
      expect(pod.spec?.containers?.[0]).not.toHaveProperty('env');
  });
});
