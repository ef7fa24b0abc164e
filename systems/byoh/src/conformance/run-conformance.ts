import { kinds } from '@tektite/client';
import type { Check, Finding } from './check.ts';
import { checks } from './checks.ts';
import { ConformanceBench, type ConformanceOptions } from './conformance-bench.ts';

export type CheckReport = Pick<Check, 'id' | 'title'> & Finding;

/**
 * Checks a running installer against the contract: creates machines and configs in a separate namespace, acts as the
 * manager, and observes the installer. The namespace is removed at the end.
 *
 * @example for await (const { id, title, result } of runConformance({ client, template, configKind, namespace, host,
 * k8sVersion })) console.log(result, id, title);
 */
export async function* runConformance(
  options: ConformanceOptions & { readonly only?: readonly string[] },
): AsyncGenerator<CheckReport, void> {
  const { client, namespace, only } = options;
  await client.create(kinds.Namespace, { metadata: { name: namespace } });
  try {
    const bench = new ConformanceBench(options);
    await bench.cluster('conformance');
    for (const { id, title, run } of checks) {
      if (only && !only.includes(id)) continue;
      const finding = await run(bench).catch(
        (error: unknown): Finding => ({ result: 'fail', detail: (error as Error).message }),
      );
      yield { id, title, ...finding };
    }
  } finally {
    await client.delete(kinds.Namespace, { name: namespace }).catch(() => undefined);
  }
}
