import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UserInfo } from '../../request/api-request.ts';
import { ApiServer } from '../../server.ts';

type Json = Record<string, unknown>;
const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

let api: ApiServer;

beforeEach(async () => {
  api = await ApiServer.create();
  await api.storage.write('/registry/serviceaccounts/default/default', 0, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'default', uid: '1' },
    imagePullSecrets: [{ name: 'registry' }],
  } as KubeObject);
});

afterEach(() => api.close());

async function call(method: string, path: string, body?: Json, user = admin) {
  const [pathname = '', query = ''] = path.split('?');
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const request = { method, path: pathname, query: new URLSearchParams(query), headers, user };
  const response = await api.handle({ ...request, ...(body ? { body } : {}) });
  const object = (response.type === 'object' ? response.object : {}) as Json;
  return { code: response.code, body: object, message: object.message, warnings: response.headers?.warning };
}

const inDefault = '/api/v1/namespaces/default';
const pod = (name: string, spec: Json = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const createPod = (name: string, spec?: Json) => call('POST', `${inDefault}/pods`, pod(name, spec));
const withResources = (resources: Json) => ({ containers: [{ name: 'c', image: 'i', resources }] });

async function create(path: string, object: Json): Promise<void> {
  const { code, message } = await call('POST', path, object);
  expect(code, message as string).toBe(201);
}

describe('LimitRanger', () => {
  beforeEach(() =>
    create(`${inDefault}/limitranges`, {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'lr' },
      spec: {
        limits: [
          {
            type: 'Container',
            default: { cpu: '500m' },
            defaultRequest: { cpu: '100m' },
            min: { cpu: '50m' },
            max: { cpu: '1' },
            maxLimitRequestRatio: { cpu: '6' },
          },
          { type: 'Pod', max: { cpu: '1500m' } },
          { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
        ],
      },
    }),
  );

  test('fills in what containers leave out, and says so', async () => {
    const { body } = await createPod('a');
    expect(body).toMatchObject({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
        },
      },
      spec: { containers: [{ resources: { requests: { cpu: '100m' }, limits: { cpu: '500m' } } }] },
    });
  });

  test.each<[string, Json, string]>([
    [
      'too much',
      { limits: { cpu: '1200m' }, requests: { cpu: '1' } },
      'maximum cpu usage per Container is 1, but limit is 1200m',
    ],
    [
      'too little',
      { requests: { cpu: '10m' }, limits: { cpu: '60m' } },
      'minimum cpu usage per Container is 50m, but request is 10m',
    ],
    [
      'limits too far above requests',
      { requests: { cpu: '100m' }, limits: { cpu: '700m' } },
      'cpu max limit to request ratio per Container is 6, but provided ratio is 7.000000',
    ],
  ])('refuses %s', async (_, resources, reason) => {
    const { code, message } = await createPod('a', withResources(resources));
    expect(code).toBe(403);
    expect(message).toBe(`pods "a" is forbidden: ${reason}`);
  });

  test('adds containers up for the limits of a Pod', async () => {
    const container = (name: string) => ({
      name,
      image: 'i',
      resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
    });
    const { message } = await createPod('a', { containers: [container('x'), container('y')] });
    expect(message).toBe('pods "a" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 2');
  });

  test('holds claims to their range', async () => {
    const { message } = await call('POST', `${inDefault}/persistentvolumeclaims`, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
    });
    expect(message).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    );
  });
});

describe('ResourceQuota', () => {
  const quota = (hard: Record<string, string>, spec: Json = {}) =>
    api.storage.write('/registry/resourcequotas/default/q', 0, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default', uid: '2' },
      spec: { hard, ...spec },
      status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) },
    } as KubeObject);
  const used = async () => ((await call('GET', `${inDefault}/resourcequotas/q`)).body.status as Json).used;
  const configMap = (name: string) =>
    call('POST', `${inDefault}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

  test('counts what is created, and refuses one too many', async () => {
    await quota({ configmaps: '1', 'count/configmaps': '5' });
    expect((await configMap('a')).code).toBe(201);
    expect(await used()).toEqual({ configmaps: '1', 'count/configmaps': '1' });
    const { code, message } = await configMap('b');
    expect(code).toBe(403);
    expect(message).toBe(
      'configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    );
  });

  test('lets no more in than fit when many come at once', async () => {
    await quota({ configmaps: '3' });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => configMap(`c${index}`)));
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(3);
    expect(await used()).toEqual({ configmaps: '3' });
  });

  test('counts nothing in a dry run, but refuses there too', async () => {
    await quota({ configmaps: '0' });
    const dry = await call('POST', `${inDefault}/configmaps?dryRun=All`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
    expect(dry.code).toBe(403);
    expect(await used()).toEqual({ configmaps: '0' });
  });

  test('adds up what Pods ask for', async () => {
    await quota({ pods: '9', 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const resources = { requests: { cpu: '600m' }, limits: { cpu: '600m', memory: '512Mi' } };
    expect((await createPod('a', withResources(resources))).code).toBe(201);
    expect(await used()).toEqual({ pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' });
    expect((await createPod('b', withResources(resources))).message).toContain(
      'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
  });

  test('wants to know what containers need where it limits that', async () => {
    await quota({ 'requests.cpu': '1' });
    expect((await createPod('a')).message).toBe(
      'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: c',
    );
  });

  test('is about the Pods of its scopes only', async () => {
    await quota({ pods: '0' }, { scopes: ['BestEffort'] });
    expect((await createPod('a')).code).toBe(403);
    expect((await createPod('b', withResources({ requests: { cpu: '1' } }))).code).toBe(201);
  });

  test('denies while the usage is not known', async () => {
    await api.storage.write('/registry/resourcequotas/default/q', 0, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      status: { hard: { configmaps: '9' } },
    } as KubeObject);
    expect((await configMap('a')).message).toBe(
      'configmaps "a" is forbidden: status unknown for quota: q, resources: configmaps',
    );
  });

  test('counts node ports and load balancers of services', async () => {
    await quota({ 'services.nodeports': '1', 'services.loadbalancers': '0' });
    const service = (name: string, spec: Json) =>
      call('POST', `${inDefault}/services`, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
    const ports = [{ port: 80 }];
    expect((await service('a', { type: 'ClusterIP', ports })).code).toBe(201);
    expect((await service('b', { type: 'NodePort', ports })).code).toBe(201);
    expect((await service('c', { type: 'NodePort', ports })).message).toContain('requested: services.nodeports=1');
    expect((await service('d', { type: 'LoadBalancer', ports })).message).toContain('services.loadbalancers=1');
  });
});

describe('PodSecurity', () => {
  test('denies Pods, warns of workloads, and warns of running Pods when a namespace becomes stricter', async () => {
    await createPod('old');
    const labels = {
      'pod-security.kubernetes.io/enforce': 'baseline',
      'pod-security.kubernetes.io/warn': 'restricted',
    };
    await createPod('host', { hostNetwork: true });
    const { warnings } = await call('PATCH', inDefault, { metadata: { labels } });
    expect(warnings).toEqual([
      '299 - "existing pods in namespace \\"default\\" violate the new PodSecurity enforce level \\"baseline:latest\\""',
      '299 - "host: host namespaces"',
    ]);
    expect((await createPod('new', { hostPID: true })).message).toBe(
      'pods "new" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    };
    const warned = await call('POST', '/apis/batch/v1/namespaces/default/jobs', job);
    expect(warned.code).toBe(201);
    expect(warned.warnings?.[0]).toContain('would violate PodSecurity \\"restricted:latest\\"');
  });
});

describe('ServiceAccount', () => {
  test('gives a Pod the default account, its token and its pull secrets', async () => {
    const { body } = await createPod('a');
    const spec = body.spec as Json & { volumes: { name: string }[]; containers: { volumeMounts: Json[] }[] };
    expect(spec).toMatchObject({ serviceAccountName: 'default', imagePullSecrets: [{ name: 'registry' }] });
    const [volume] = spec.volumes;
    expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(spec.containers[0]?.volumeMounts).toEqual([
      { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]);
  });

  test('mounts nothing where the Pod wants nothing', async () => {
    const { body } = await createPod('a', { automountServiceAccountToken: false });
    expect(body.spec).not.toHaveProperty('volumes');
  });

  test('refuses an account that does not exist', async () => {
    expect((await createPod('a', { serviceAccountName: 'nobody' })).message).toBe(
      'pods "a" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    );
  });
});

describe('RuntimeClass', () => {
  test('adds what the class costs and where it runs', async () => {
    await create('/apis/node.k8s.io/v1/runtimeclasses', {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'vm' },
      handler: 'vm',
      overhead: { podFixed: { memory: '100Mi' } },
      scheduling: { nodeSelector: { vm: 'yes' } },
    });
    const { body } = await createPod('a', { runtimeClassName: 'vm' });
    expect(body.spec).toMatchObject({ overhead: { memory: '100Mi' }, nodeSelector: { vm: 'yes' } });
    const wrong = await createPod('b', { runtimeClassName: 'vm', nodeSelector: { vm: 'no' } });
    expect(wrong.message).toContain(
      'conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    );
    expect((await createPod('c', { runtimeClassName: 'none' })).message).toContain(
      'pod rejected: RuntimeClass "none" not found',
    );
    expect((await createPod('d', { overhead: { cpu: '1' } })).message).toContain(
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });
});

describe('DefaultIngressClass', () => {
  test('is given to an Ingress that names none', async () => {
    await create('/apis/networking.k8s.io/v1/ingressclasses', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'web', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      spec: { controller: 'example.com/web' },
    });
    const { body } = await call('POST', '/apis/networking.k8s.io/v1/namespaces/default/ingresses', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i' },
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    });
    expect(body.spec).toMatchObject({ ingressClassName: 'web' });
  });
});

describe('PersistentVolumeClaimResize', () => {
  test('lets only bound claims of classes that can grow', async () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fixed', resources: { requests: { storage: '1Gi' } } },
    };
    await create(`${inDefault}/persistentvolumeclaims`, claim);
    const path = `${inDefault}/persistentvolumeclaims/c`;
    const grow = () => call('PATCH', path, { spec: { resources: { requests: { storage: '2Gi' } } } });
    expect((await grow()).code).not.toBe(200);
    await call('PATCH', `${path}/status`, { status: { phase: 'Bound' } });
    expect((await grow()).message).toContain('only dynamically provisioned pvc can be resized');
    await create('/apis/storage.k8s.io/v1/storageclasses', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fixed' },
      provisioner: 'example.com/p',
      allowVolumeExpansion: true,
    });
    expect((await grow()).code).toBe(200);
  });
});

describe('namespaces', () => {
  test('that do not exist, or are going, take nothing new', async () => {
    const into = (namespace: string) =>
      call('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
      });
    expect((await into('nowhere')).message).toBe('namespaces "nowhere" not found');
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } });
    await call('DELETE', '/api/v1/namespaces/going');
    expect((await into('going')).message).toContain('because it is being terminated');
    expect((await call('DELETE', '/api/v1/namespaces/kube-system')).code).toBe(403);
  });
});
