import type { ConditionText } from '../kinds/cluster-condition.ts';
import { hostReadyCondition } from '../kinds/host-conditions.ts';
import { type Check, fail, type Finding, pass, untouched } from './check.ts';
import { gateOpen, type Subject } from './conformance-bench.ts';

const findingOf = (failure: string | undefined): Finding => (failure === undefined ? pass : fail(failure));

const otherReasons: readonly (ConditionText | undefined)[] = [
  ...[
    'WaitingForClusterInfrastructure',
    'WaitingForBootstrapDataSecret',
    'BYOHostsUnavailable',
    'ClusterOrResourcePaused',
  ].map((reason) => ({ type: hostReadyCondition, status: 'False', reason, severity: 'Info' }) as const),
  { type: hostReadyCondition, status: 'True' },
  undefined,
];

/** When an installer has to do nothing. */
export const waitingChecks: readonly Check[] = [
  {
    id: 'C1',
    title: 'a config that no ByoMachine owns is left alone',
    async run(bench) {
      const subject = await bench.subject(gateOpen, bench.options.host);
      await bench.config(subject, { isOrphan: true });
      return findingOf(await untouched(bench, subject));
    },
  },
  {
    id: 'C2',
    title: 'nothing is made while the Cluster cannot be found',
    async run(bench) {
      const subject = await bench.subject(gateOpen, bench.options.host, 'no-such-cluster');
      await bench.config(subject);
      return findingOf(await untouched(bench, subject));
    },
  },
  {
    id: 'C3',
    title: 'nothing is made while the Cluster or the config is paused',
    async run(bench) {
      await bench.cluster('paused-cluster', { paused: true });
      const first = await bench.subject(gateOpen, bench.options.host, 'paused-cluster');
      await bench.config(first);
      const second = await bench.subject(gateOpen, bench.options.host);
      await bench.config(second, { annotations: { 'cluster.x-k8s.io/paused': '' } });
      return findingOf((await untouched(bench, first)) ?? (await untouched(bench, second)));
    },
  },
  {
    id: 'C4',
    title: 'nothing is made before the machine waits for it',
    async run(bench) {
      const subjects: Subject[] = [];
      for (const condition of otherReasons) {
        const subject = await bench.subject(condition, bench.options.host);
        await bench.config(subject);
        subjects.push(subject);
      }
      for (const [index, subject] of subjects.entries()) {
        const failure = await untouched(bench, subject);
        const reason = otherReasons[index];
        if (failure !== undefined)
          return fail(
            `${reason && 'reason' in reason ? reason.reason : (reason?.status ?? 'no condition')}: ${failure}`,
          );
      }
      return pass;
    },
  },
  {
    id: 'C5',
    title: 'a config that is ready is not written to',
    async run(bench) {
      const subject = await bench.subject(undefined, bench.options.host);
      await bench.config(subject);
      await bench.settle();
      await bench.patchConfigStatus(subject.name, {
        ready: true,
        installationSecret: { name: 'elsewhere', namespace: bench.options.namespace },
      });
      const before = await bench.read(subject.name);
      await bench.setGate(subject, gateOpen, bench.options.host);
      await bench.settle();
      const after = await bench.read(subject.name);
      if (before?.metadata.resourceVersion !== after?.metadata.resourceVersion)
        return fail('the config was written to');
      return after && (await bench.secrets(after)).length > 0 ? fail('a Secret was made') : pass;
    },
  },
];
