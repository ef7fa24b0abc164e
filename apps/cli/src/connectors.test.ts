import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, kinds, mergePatch, openClient } from '@tektite/client';
import { Connector } from '@tektite/connectors';
import type { DynamicObject } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { freePorts } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { repository, Scratch } from './test-support.ts';

const example = join(repository, 'examples/connectors');
const key = { namespace: 'default', name: 'guestbook' };

/** The Pods of a machine share its ports: these are for this test. */
function onPorts([web, store, pages]: readonly number[]) {
  const at = (port: number | undefined) => `http://127.0.0.1:${port}`;
  const workload = (name: string, port: number | undefined, env: readonly object[], probe: object) => ({
    name,
    template: {
      spec: {
        containers: [{ name, env: [{ name: 'PORT', value: String(port) }, ...env], readinessProbe: probe }],
      },
    },
  });
  const urls = [
    { name: 'STORE', value: at(store) },
    { name: 'PAGES', value: at(pages) },
  ];
  return [
    workload('web', web, urls, { httpGet: { port: web } }),
    workload('store', store, [], { tcpSocket: { port: store } }),
    workload('pages', pages, [], { tcpSocket: { port: pages } }),
  ];
}

const statusOf = async (client: Client) => (await client.get(Connector, key)).status;
const readyOf = async (client: Client) => {
  const status = await statusOf(client);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${status?.releaseVersion} ${ready?.status} ${ready?.reason} ${ready?.observedGeneration}`;
};
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });
const fileOf = (name: string) =>
  parseFirstYaml(readFileSync(join(example, name), 'utf8'))?.value as unknown as DynamicObject;

describe('the guestbook, with processes of this machine', () => {
  it('is installed, changed, upgraded and removed by a Connector', { timeout: 180_000 }, async () => {
    using scratch = new Scratch();
    const payload = join(scratch.path, 'kodata');
    cpSync(join(example, 'kodata'), payload, { recursive: true });
    const data = join(scratch.path, 'data');
    const onMachine = ['--runtime', 'host', '--network', 'host'];
    const args = [
      'up',
      '--data-dir',
      data,
      '--port',
      '0',
      '--systems',
      'connectors',
      '--payload',
      payload,
      ...onMachine,
    ];
    const start = async (VERSION: string) => {
      const running = await scratch.start(args, /Ctrl-C/, { VERSION });
      return { running, client: await openClient({ kubeconfig: join(data, 'kubeconfig') }) };
    };
    const ports = await freePorts(3);
    const page = async (body?: string) => {
      const answer = await fetch(`http://127.0.0.1:${ports[0]}`, body ? { method: 'POST', body } : {});
      return answer.text();
    };

    const first = await start('v1.0.0');
    const given = fileOf('connector.yaml');
    await first.client.create({ ...given, spec: { ...(given.spec as object), workloads: onPorts(ports) } });
    await soon(() => readyOf(first.client)).toBe('v1.0.0 True Ready 1');
    await first.client.create(fileOf('page.yaml'));
    await page('Ann was here.');
    expect(await page()).toBe('Our guests\nAnn was here.\nThis book is kept by a Connector.\n');

    const settings = { metadata: { name: 'settings' }, data: { title: 'Everybody' } };
    const additional = join(payload, 'title.yaml');
    writeFileSync(additional, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...settings }));
    const template = { metadata: { annotations: { title: 'Everybody' } } };
    const workloads = [...onPorts(ports), { name: 'web', kind: 'Deployment', template }];
    const spec = { additionalManifests: additional, workloads };
    await first.client.patch(Connector, key, mergePatch({ spec }));
    await soon(() => readyOf(first.client)).toBe('v1.0.0 True Ready 2');
    await soon(page).toMatch(/^Everybody\n/);
    await first.client.close();
    await first.running.stop();

    writeFileSync(join(payload, 'guestbook', 'VERSION'), 'v1.1.0\n');
    const { running, client } = await start('v2.0.0');
    await soon(() => readyOf(client)).toBe('v2.0.0 True Ready 2');
    expect((await statusOf(client))?.connectorVersion).toBe('v1.1.0');
    expect(await page()).toBe('Everybody\nAnn was here.\nThis book is kept by a Connector.\n');

    await client.delete(Connector, key);
    await soon(async () => (await client.list(Connector)).items.length).toBe(0);
    await soon(async () => (await client.list(kinds.Pod, { namespace: 'default' })).items.length).toBe(0);
    await expect(page()).rejects.toThrow('fetch failed');
    expect((await client.list(kinds.PersistentVolumeClaim)).items.map(({ metadata }) => metadata.name)).toEqual([
      'data-store-0',
    ]);
    const labelSelector = 'cpaas.io/connector-name=guestbook';
    expect((await client.list(kinds.CustomResourceDefinition, { labelSelector })).items).toHaveLength(1);
    await client.close();
    await running.stop();
  });

  it('is what its page says', () => {
    const files = readdirSync(join(example, 'kodata', 'guestbook'));
    expect(files).toEqual([
      '10-definitions.yaml',
      '20-rights.yaml',
      '30-settings.yaml',
      '40-store.yaml',
      '50-pages.yaml',
      '60-web.yaml',
      'VERSION',
    ]);
  });
});
