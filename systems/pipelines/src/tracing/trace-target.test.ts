import { kinds } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { tracingConfig } from '../config/tracing-config.ts';
import { FollowedTraceTarget, type TraceTarget } from './trace-target.ts';

const url = 'http://collector:4318/v1/traces';
const key = { namespace: 'default', name: 'jaeger' };
const secret = (password: string) => ({ metadata: key, stringData: { username: 'ada', password } });
const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

it('traces go where the ConfigMap says, with the credentials of its Secret as they are now', async () => {
  await using plane = await startControlPlane();
  const targets: (TraceTarget | undefined)[] = [];
  const errors: string[] = [];
  const followed = new FollowedTraceTarget({
    client: plane.client,
    namespace: 'default',
    send: async (target) => void targets.push(target),
    onError: ({ message }) => errors.push(message),
  });
  const follow = (data: Record<string, string>) => followed.follow(tracingConfig.parse(data));
  const last = () => targets.at(-1);

  follow({});
  follow({ enabled: 'true', endpoint: url });
  await expect.poll(() => targets).toEqual([{ url, headers: {} }]);

  follow({ enabled: 'true', endpoint: url, credentialsSecret: 'jaeger' });
  await expect.poll(() => errors).toEqual([expect.stringContaining('secret "jaeger" not found')]);
  expect(targets).toHaveLength(1);
  await plane.client.create(kinds.Secret, secret('old'));
  await expect.poll(last).toEqual({ url, headers: basic('ada:old') });
  await plane.client.apply(kinds.Secret, secret('new'), { fieldManager: 'test', force: true });
  await expect.poll(last).toEqual({ url, headers: basic('ada:new') });

  follow({ enabled: 'false' });
  await expect.poll(last).toBeUndefined();
  follow({ enabled: 'true' });
  await expect.poll(last).toMatchObject({ url: expect.stringContaining('jaeger-collector.jaeger.svc') as string });
  await followed.stop();
  expect(last()).toBeUndefined();
});

it.each([
  [{ enabled: 'yes' }, 'failed parsing tracing config "yes": strconv.ParseBool: parsing "yes": invalid syntax'],
])('a ConfigMap that cannot be used is refused: %o', (data, message) => {
  expect(() => tracingConfig.parse(data)).toThrow(expect.objectContaining({ message }));
});
