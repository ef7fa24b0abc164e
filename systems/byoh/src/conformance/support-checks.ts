import { ByoMachine } from '../kinds/byo-machine.ts';
import { Machine } from '../kinds/cluster-api.ts';
import { clusterNameLabel } from '../wire-names.ts';
import { type Check, fail, type Finding, isReady, isSettled, pass, untouched } from './check.ts';
import { type ConformanceBench, gateOpen } from './conformance-bench.ts';

async function unsupported(bench: ConformanceBench, what: 'osimage' | 'architecture' | 'version'): Promise<Finding> {
  const { host } = bench.options;
  const strange = what === 'version' ? host : { ...host, [what]: 'Conformance 0' };
  const subject = await bench.subject(gateOpen, strange);
  await bench.config(subject, what === 'version' ? { version: 'v0.0.0' } : {});
  const config = await bench.until(subject.name, isSettled);
  if (!config) return fail(`${what}: neither scripts nor a failure`);
  if (config.status?.ready) return { result: 'pass', detail: `it supports any ${what}` };
  if (!config.status?.failureMessage) return fail(`${what}: failureReason without failureMessage`);
  if ((await bench.secrets(config)).length > 0) return fail(`${what}: it made a Secret nevertheless`);
  if (what === 'version') return pass;
  await bench.setGate(subject, gateOpen, host);
  const recovered = await bench.until(subject.name, isReady);
  if (!recovered) return fail(`${what}: it does not recover when the host is another`);
  return recovered.status?.failureReason ? fail(`${what}: failureReason is still there after it recovered`) : pass;
}

/** Hosts that an installer knows nothing of, and how the manager comes to it. */
export const supportChecks: readonly Check[] = [
  {
    id: 'C11',
    title: 'an unsupported host is reported, and recovers; an unknown host is waited for',
    async run(bench) {
      const notes: string[] = [];
      for (const what of ['osimage', 'architecture', 'version'] as const) {
        const finding = await unsupported(bench, what);
        if (finding.result === 'fail') return finding;
        if (finding.detail) notes.push(finding.detail);
      }
      const subject = await bench.subject(gateOpen, undefined);
      await bench.config(subject);
      const failure = await untouched(bench, subject);
      if (failure !== undefined) return fail(`a host of which nothing is known: ${failure}`);
      return notes.length > 0 ? { result: 'pass', detail: notes.join('; ') } : pass;
    },
  },
  {
    id: 'C13',
    title: 'its template may be in another namespace than the machine',
    run: (bench) => viaManager(bench, true),
  },
  {
    id: 'C14',
    title: 'the manager makes its configs, knowing nothing of it but its name',
    run: (bench) => viaManager(bench, false),
  },
];

/** A machine as Cluster API makes it, so that the manager makes the config. */
async function viaManager(bench: ConformanceBench, elsewhere: boolean): Promise<Finding> {
  const { client, template, namespace, configKind, k8sVersion } = bench.options;
  const where = template.metadata.namespace ?? '';
  if (elsewhere && where === namespace)
    return { result: 'skip', detail: 'the template is in the namespace of the checks' };
  const name = elsewhere ? 'elsewhere' : 'managed';
  const labels = { [clusterNameLabel]: 'conformance' };
  const owner = await client.create(Machine, { metadata: { name, namespace, labels }, spec: { version: k8sVersion } });
  const installerRef = {
    apiVersion: template.apiVersion,
    kind: template.kind,
    name: template.metadata.name ?? '',
    namespace: where,
  };
  await client.create(ByoMachine, {
    metadata: {
      name,
      namespace,
      labels,
      ownerReferences: [
        { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', name, uid: owner.metadata.uid ?? '' },
      ],
    },
    spec: { installerRef },
  });
  const config = await bench.until(name, () => true);
  if (!config)
    return {
      result: 'skip',
      detail: 'no manager of bring your own host runs here, or it may not create these configs',
    };
  const [reference] = config.metadata.ownerReferences ?? [];
  if (reference?.kind !== 'ByoMachine' || reference.name !== name)
    return fail('the config is not owned by its machine');
  return config.kind === configKind.kind ? pass : fail(`the config is a ${config.kind}`);
}
