import { expect, it } from 'vitest';
import { type ResolverBench, taskText } from '../test-support.ts';
import { type Pusher, tarLayer } from './test-support.ts';

/** A registry without authentication. */
export interface RegistryPlace {
  readonly bench: () => ResolverBench;
  readonly pusher: () => Pusher;
  /** `127.0.0.1:5000` */
  readonly host: () => string;
}

const getting = (message: string) => `error getting "bundleresolver" "default/REQUEST": ${message}`;
const task = { kind: 'task', name: 'remote', content: tarLayer('remote', taskText) };

/** Cases of the bundle resolver with any registry. */
export function bundleResolverCases({ bench, pusher, host }: RegistryPlace): void {
  it('brings an object out of an image', async () => {
    const pipeline = { kind: 'pipeline', name: 'remote', content: tarLayer('remote', 'kind: Pipeline') };
    const digest = await pusher().push('some/bundle', 'v1', [pipeline, task]);
    const bundle = `${host()}/some/bundle:v1`;
    const { text, status, message } = await bench().ask('bundles', { bundle, name: 'remote', kind: 'task' });
    expect(message).toBe('');
    expect(text).toBe(taskText);
    expect(status.refSource).toEqual({
      uri: `${host()}/some/bundle`,
      digest: { sha256: digest.replace('sha256:', '') },
      entryPoint: 'remote',
    });
    expect(status.annotations).toEqual({
      'resolution.tekton.dev/dev.tekton.image.kind': 'task',
      'resolution.tekton.dev/dev.tekton.image.name': 'remote',
      'resolution.tekton.dev/dev.tekton.image.apiVersion': 'v1',
    });
  });

  it('keeps what it got by a digest', async () => {
    const digest = await pusher().push('kept', 'v1', [task]);
    const params = { bundle: `${host()}/kept@${digest}`, name: 'remote' };
    const operation = async () =>
      (await bench().ask('bundles', params)).status.annotations?.['resolution.tekton.dev/cache-operation'];
    expect(await operation()).toBe('store');
    expect(await operation()).toBe('retrieve');
  });

  it('takes layers that are no archives', async () => {
    await pusher().push('raw', 'v1', [{ ...task, content: Buffer.from(taskText) }]);
    const { text } = await bench().ask('bundles', { bundle: `${host()}/raw:v1`, name: 'remote' });
    expect(text).toBe(taskText);
  });

  it('takes the usual platform of an image for many', async () => {
    const digest = await pusher().push('many', 'single', [task]);
    await pusher().pushIndex('many', 'v1', digest);
    const { text } = await bench().ask('bundles', { bundle: `${host()}/many:v1`, name: 'remote' });
    expect(text).toBe(taskText);
  });

  it('says what is not there', async () => {
    await pusher().push('half', 'v1', [task]);
    const ask = async (params: Record<string, string>) => (await bench().ask('bundles', params)).message;
    expect(await ask({ bundle: `${host()}/half:v1`, name: 'other' })).toBe(
      getting('could not find object in image with kind: task and name: other'),
    );
    expect(await ask({ bundle: `${host()}/half:none`, name: 'remote' })).toContain(
      `cannot retrieve the oci image: GET http://${host()}/v2/half/manifests/none: MANIFEST_UNKNOWN: manifest unknown`,
    );
  });

  it.each([
    ['too many objects', Array.from({ length: 21 }, () => task), 'contained more than the maximum 20 allow objects'],
    [
      'layers that say nothing',
      [{ ...task, annotations: {} }],
      'the layer 0 does not contain a dev.tekton.image.apiVersion annotation',
    ],
    [
      'a kind in the plural',
      [{ ...task, kind: 'Tasks' }],
      'the layer 0 the annotation dev.tekton.image.kind must be lowercased and singular, found Tasks',
    ],
  ])('refuses an image with %s', async (_title, layers, message) => {
    await pusher().push('bad', 'v1', layers);
    const bundle = `${host()}/bad:v1`;
    const answer = await bench().ask('bundles', { bundle, name: 'remote' });
    expect(answer.message).toBe(getting(`invalid tekton bundle ${bundle}, error: ${message}`));
  });
}
