import { kinds } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import { pipelinesSystem } from '@tektite/pipelines';
import type { Kind } from '@tektite/schema';
import { type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { type AnyRun, RunsOnServer } from './runs-on-server.ts';
import type { Row } from './table.ts';
import { images } from './one-step.ts';
import { startTektonController, tektonRelease } from './tekton-controller.ts';

/** As many as Tekton was given for the figures beside ours. */
const concurrency = 32;

export interface RealServerBench {
  readonly kind: Kind<AnyRun>;
  readonly spec: object;
  /** At once. */
  readonly count: number;
  /** The reference figures of Tekton 1.15: runs a second in bulk, and milliseconds of a single run. */
  readonly tekton: { readonly perSecond: number; readonly alone: number };
}

interface Figures {
  readonly alone: number;
  readonly perSecond: number;
}

/**
 * Runs on a real kube-apiserver, with Pods that complete at once: it measures the controller, and the server behind
 * HTTPS. Tekton's own controller runs beside it, on a separate server, where one is named. The target is half as much
 * again as that. `undefined` where there is no such server.
 */
export async function benchRealServer(bench: RealServerBench): Promise<readonly Row[] | undefined> {
  if (!process.env['KUBEBUILDER_ASSETS']) return undefined;
  const ours = await measure(bench, (plane) =>
    startSystems([pipelinesSystem({ images })], { client: plane.client, concurrency }),
  );
  if (!ours) return undefined;
  const release = tektonRelease();
  const theirs = release && (await measure(bench, (plane) => startTektonController(release, plane, concurrency)));
  const { tekton, count } = bench;
  return [
    {
      what: 'one alone, p50',
      value: ours.alone,
      unit: 'ms',
      ...(theirs ? { reference: theirs.alone } : {}),
      elsewhere: `${tekton.alone} with Tekton 1.15`,
    },
    {
      what: `${count} at once`,
      value: ours.perSecond,
      unit: 'runs/s',
      ...(theirs ? { reference: theirs.perSecond } : {}),
      target: { value: (theirs ?? tekton).perSecond * 1.5, better: 'more' },
      elsewhere: `${tekton.perSecond} with Tekton 1.15`,
    },
  ];
}

async function measure(
  { kind, spec, count }: RealServerBench,
  start: (plane: RealControlPlane) => Promise<AsyncDisposable>,
): Promise<Figures | undefined> {
  await using plane = await startRealControlPlane();
  // Its definitions know less than Tekton asks of them.
  if (plane.version.startsWith('v1.20.')) return undefined;
  await plane.client.create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'default' } });
  await using _ = await start(plane);
  await using runs = new RunsOnServer(plane.clientFor(plane.transport()), kind);
  await runs.synced();
  for (let i = 0; i < 20; i++) await runs.run(`warm-${i}`, spec);
  const alone: number[] = [];
  for (let i = 0; i < 20; i++) alone.push(await runs.run(`alone-${i}`, spec));
  alone.sort((a, b) => a - b);
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, (_, i) => runs.run(`many-${i}`, spec)));
  const seconds = (performance.now() - started) / 1000;
  return { alone: alone[alone.length >> 1] ?? 0, perSecond: count / seconds };
}

/** Why there are no such rows. */
export const noRealServer: string =
  '\nNot on a real kube-apiserver: KUBEBUILDER_ASSETS names no folder with etcd and a server of at least 1.21.';
