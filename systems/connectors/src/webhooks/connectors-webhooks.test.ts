import { kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { parseYaml } from '@tektite/schema/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connector } from '../kinds/connector.ts';
import { InstallManifest } from '../kinds/install-manifest.ts';
import { memoryPayloads } from '../payload/memory-payloads.ts';
import { configMap, connector, startOperator } from '../test-support.ts';

describe('Connectors', () => {
  let plane: ControlPlane;
  let stop: () => Promise<void>;
  const payloads = memoryPayloads({ shop: { objects: [configMap('a')] }, bank: { objects: [configMap('b')] } });
  beforeAll(async () => {
    plane = await startControlPlane();
    const running = await startOperator(plane, { payloads, version: 'v1' });
    stop = () => running.stop();
  });
  afterAll(async () => {
    await stop();
    await plane.close();
  });

  const tried = async (name: string, spec: object): Promise<string> => {
    try {
      await plane.client.create(Connector, connector(name, spec));
      return 'taken';
    } catch (error) {
      return isStatusError(error) ? error.message : String(error);
    }
  };

  it('get the component of their name', async () => {
    await plane.client.create(Connector, { metadata: { namespace: 'default', name: 'shop' } } as Connector);
    const { spec } = await plane.client.get(Connector, { namespace: 'default', name: 'shop' });
    expect(spec).toMatchObject({ component: 'shop', manifestType: 'Metadata', additionalManifestsApplyGlobal: false });
  });

  it('are taken as the design document writes them, once it is well-formed', async () => {
    const text = `
apiVersion: operator.connectors.alauda.io/v1alpha1
kind: Connector
metadata: {name: example-connector, namespace: default}
spec:
  component: bank
  manifestType: "Metadata"
  additionalManifests: "https://example.com/manifests.yaml"
  labels: {app: example}
  annotations: {description: "An example connector"}
  registry: "registry.example.com"
  workloads:
    - name: example-deployment
      replicas: 1
      selector: {matchLabels: {app: example}}
      template:
        metadata: {labels: {app: example}}
        spec:
          containers:
            - name: example-container
              image: example-image
              resources: {requests: {cpu: 100m, memory: 128Mi}}
`;
    const made = await plane.client.create(parseYaml(text)[0]?.value as Connector);
    expect(made.spec.workloads?.[0]).toMatchObject({
      kind: '',
      template: { spec: { containers: [{ image: 'example-image' }] } },
    });
    const manifest = `
apiVersion: operator.connectors.alauda.io/v1alpha1
kind: InstallManifest
metadata:
  name: example-install-manifest-static
  annotations: {cpaas.io/last-applied-hash: "1234567890"}
  labels: {cpaas.io/release-version: "v0.0.1", cpaas.io/connector-name: nobody, cpaas.io/connector-namespace: default}
spec:
  manifests:
    - {kind: Service, apiVersion: v1, metadata: {namespace: default, name: example-service}, spec: {selector: {app: example}}}
`;
    await plane.client.create(parseYaml(manifest)[0]?.value as InstallManifest);
  });

  it.each([
    ['unknown', {}, 'spec.component: no payload "unknown" in this operator (have: bank, shop)'],
    ['a', { component: 'no' }, 'spec.component: no payload "no" in this operator (have: bank, shop)'],
    ['a', { component: '../etc' }, 'spec.component'],
    [
      'a',
      { component: 'shop', global: { labels: {} } },
      'spec.global: there is no such field; write labels, annotations and registry under spec',
    ],
    [
      'a',
      { component: 'shop', labels: { 'cpaas.io/x': 'y' } },
      'spec.labels[cpaas.io/x]: cpaas.io, kubernetes.io and k8s.io keys are reserved',
    ],
    ['a', { component: 'shop', annotations: { 'app.kubernetes.io/name': 'y' } }, 'keys are reserved'],
    ['a', { component: 'shop', labels: { a: 'not a label' } }, 'spec.labels: Invalid value: "not a label"'],
    ['a', { component: 'shop', registry: 'https://r.example.com' }, 'spec.registry'],
    ['a', { component: 'shop', manifestType: 'Some' }, 'spec.manifestType: Unsupported value: "Some"'],
    ['a', { component: 'shop', workloads: [{ name: 'w' }, { name: 'w' }] }, 'Duplicate value'],
    ['a', { component: 'shop', workloads: [{ name: 'w', replicas: -1 }] }, 'spec.workloads[0].replicas'],
    [
      'a',
      { component: 'shop', workloads: [{ name: 'w', template: { spec: { containers: [{ image: 'a' }] } } }] },
      'spec.workloads[0].template.spec.containers[0].name: say which container is meant',
    ],
    [
      'a',
      { component: 'shop', workloads: [{ name: 'w', template: { $patch: 'replace' } }] },
      'spec.workloads[0].template: $patch is not possible here; null removes a field',
    ],
    [
      'a',
      { component: 'shop', additionalManifests: 'manifests.yaml' },
      '"manifests.yaml" is neither an http(s) URL nor an absolute path',
    ],
    [
      'a',
      { component: 'shop', additionalManifests: 'file:///etc/passwd' },
      'is neither an http(s) URL nor an absolute path',
    ],
    ['a', { component: 'shop', additionalManifests: '/manifests/../etc/passwd' }, 'must not have ".." in it'],
    [
      'a',
      { component: 'shop', additionalManifests: 'https://u:p@example.com/a' },
      'credentials in URLs are not possible',
    ],
    ['a', { component: 'shop', additionalManifestsSHA256: 'x' }, 'spec.additionalManifestsSHA256'],
    ['a', { component: 'shop', additionalManifestsSHA256: 'a'.repeat(64) }, 'there are no additionalManifests'],
  ])('are refused with a hint: %s %j', async (name, spec, message) => {
    expect(await tried(name, spec)).toContain(message);
  });

  it('keep their component', async () => {
    await tried('fixed', { component: 'shop' });
    const key = { namespace: 'default', name: 'fixed' };
    const change = plane.client.apply(Connector, { metadata: key, spec: { component: 'bank' } } as never, {
      force: true,
    });
    await expect(change).rejects.toThrow('spec.component: cannot be changed (it is "shop"); make another Connector');
  });

  it('can be written by the operator alone', async () => {
    const user = plane.clientFor({ name: 'jane', groups: ['system:masters'] });
    const object = { metadata: { name: 'mine' }, spec: { manifests: [] } };
    await expect(user.create(InstallManifest, object)).rejects.toThrow(
      'spec: Forbidden: InstallManifests are written by the operator; change the Connector',
    );
    await plane.client.create(InstallManifest, object);
    const labelled = { metadata: { name: 'mine', labels: { a: 'b' } } };
    await user.apply(InstallManifest, labelled as never);
    await expect(
      user.apply(InstallManifest, { ...labelled, spec: { manifests: [configMap('x')] } } as never, { force: true }),
    ).rejects.toThrow('Forbidden');
    await user.delete(InstallManifest, { name: 'mine' });
  });

  it('show what matters in a list', async () => {
    const definition = await plane.client.get(kinds.CustomResourceDefinition, {
      name: 'connectors.operator.connectors.alauda.io',
    });
    expect(definition.spec.versions?.[0]?.additionalPrinterColumns?.map(({ name }) => name)).toEqual([
      'Ready',
      'Reason',
      'Version',
      'Age',
    ]);
  });
});
