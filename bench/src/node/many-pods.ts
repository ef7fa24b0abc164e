import { kinds } from '@tektite/client';
import { startCluster } from '@tektite/cluster';
import type { Row } from '../table.ts';

/** Pods that go on, all at once, each with a separate network where the machine can give it one. */
export async function benchManyPods(count: number): Promise<Row[]> {
  await using cluster = await startCluster({ node: { runtime: 'host', network: 'auto', maxPods: count + 10 } });
  const { client } = cluster;
  const before = process.memoryUsage.rss();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      client.create(kinds.Pod, {
        metadata: { namespace: 'default', name: `many-${index}` },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'c', image: 'bench', command: ['sleep', '1000'] }],
        },
      }),
    ),
  );
  const running = async () =>
    (await client.list(kinds.Pod, { namespace: 'default' })).items.filter(({ status }) => status?.phase === 'Running')
      .length;
  while ((await running()) < count && performance.now() - started < 120_000)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const seconds = (performance.now() - started) / 1000;
  return [
    { what: 'running at once', value: await running(), unit: 'Pods', target: { value: count, better: 'more' } },
    { what: 'created to all running', value: seconds, unit: 's' },
    {
      what: 'memory of this process for each',
      value: (process.memoryUsage.rss() - before) / count / 1024,
      unit: 'KiB',
    },
  ];
}
