import { describe, expect, it } from 'vitest';
import { TestServer } from '../test-support.ts';

const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };

describe('a Table', () => {
  it('of nothing has rows that are null for kinds without columns of their own', async () => {
    await using server = await TestServer.start();
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await server.ok('GET', definitions, undefined, table)).rows).toBeNull();
    expect((await server.ok('GET', '/api/v1/secrets', undefined, table)).rows).toEqual([]);
  });

  it('does not show the annotation that upstream keeps elsewhere inside', async () => {
    await using server = await TestServer.start();
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: { app: 'a' } }, template };
    const made = await server.ok('POST', path, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd' },
      spec,
    });
    expect(made.metadata.annotations).toBeDefined();
    const { rows } = (await server.ok('GET', path, undefined, table)) as unknown as {
      rows: { object: { metadata: { annotations?: object } } }[];
    };
    expect(rows[0]?.object.metadata.annotations).toBeUndefined();
  });
});

describe('a watch', () => {
  it('is not served as YAML', async () => {
    await using server = await TestServer.start();
    const { code, object } = await server.send('GET', '/api/v1/secrets?watch=1', undefined, {
      headers: { accept: 'application/yaml' },
    });
    expect(code).toBe(406);
    expect(object.message).toContain('application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch');
  });
});
