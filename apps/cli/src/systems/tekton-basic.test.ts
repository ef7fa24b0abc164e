import { join } from 'node:path';
import { openClient } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';

interface Component extends KubeObject {
  readonly status?: { readonly version?: string; readonly conditions?: readonly { type: string; status: string }[] };
}

const operator = 'operator.tekton.dev/v1alpha1';

describe('a TektonConfig with the profile basic', () => {
  it('is Ready with nothing downloaded', { timeout: 180_000 }, async () => {
    using scratch = new Scratch();
    const data = join(scratch.path, 'data');
    await using _ = await scratch.start(
      ['up', '--data-dir', data, '--port', '0', '--runtime', 'host', '--systems', 'tekton-operator', '--no-dashboard'],
      /Ctrl-C/,
    );
    await using client = await openClient({ kubeconfig: join(data, 'kubeconfig') });
    await client.create({
      apiVersion: operator,
      kind: 'TektonConfig',
      metadata: { name: 'config' },
      spec: { profile: 'basic', targetNamespace: 'tekton-pipelines', pruner: { disabled: true } },
    } as KubeObject);
    const component = (kind: string, name: string) =>
      client.getOrUndefined<Component>({ apiVersion: operator, kind }, { name });
    const ready = async () =>
      (await component('TektonConfig', 'config'))?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    await expect.poll(ready, { timeout: 150_000, interval: 500 }).toBe('True');
    expect((await component('TektonResult', 'result'))?.status?.version).toBe('v0.20.0');
    expect((await component('TektonChain', 'chain'))?.status?.version).toBe('v0.29.2');
  });
});
