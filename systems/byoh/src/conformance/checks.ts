import { kinds } from '@tektite/client';
import { sleep } from '@tektite/meta';
import { syntaxMistake } from '../agent/sandbox/dry-run-sandbox.ts';
import { findObject } from '../find-object.ts';
import type { InstallerConfig } from '../installer/decide-installer.ts';
import { ByoMachine } from '../kinds/byo-machine.ts';
import { Machine } from '../kinds/cluster-api.ts';
import type { ConditionText } from '../kinds/cluster-condition.ts';
import { hostReadyCondition } from '../kinds/host-conditions.ts';
import { clusterNameLabel, secretType } from '../wire-names.ts';
import { type ConformanceBench, gateOpen, type Subject } from './conformance-bench.ts';

/** What a check found. */
export type Finding =
  | { readonly result: 'pass'; readonly detail?: string }
  | { readonly result: 'fail'; readonly detail: string }
  | { readonly result: 'skip'; readonly detail: string };

export interface Check {
  readonly id: string;
  readonly title: string;
  run(bench: ConformanceBench): Promise<Finding>;
}

const pass: Finding = { result: 'pass' };
const fail = (detail: string): Finding => ({ result: 'fail', detail });

/** Nothing may have happened: no Secret, no word of success or failure. */
async function untouched(bench: ConformanceBench, { name }: Subject): Promise<string | undefined> {
  await bench.settle();
  const config = await bench.read(name);
  if (!config) return 'the config is gone';
  const { ready, installationSecret, failureReason } = config.status ?? {};
  if (ready) return 'it says that it is ready';
  if (installationSecret) return `it names the Secret ${installationSecret.name}`;
  if (failureReason) return `it tells of a failure: ${failureReason}`;
  const [secret] = await bench.secrets(config);
  return secret && `it made the Secret ${secret.metadata.name}`;
}

const verdict = (complaint: string | undefined): Finding => (complaint === undefined ? pass : fail(complaint));
const isReady = ({ status }: InstallerConfig) => status?.ready === true;
const isSettled = ({ status }: InstallerConfig) => status?.ready === true || Boolean(status?.failureReason);

async function happy(
  bench: ConformanceBench,
): Promise<{ readonly subject: Subject; readonly config: InstallerConfig } | string> {
  const subject = await bench.subject(gateOpen, bench.options.host);
  await bench.config(subject);
  const config = await bench.until(subject.name, isSettled);
  if (!config) return 'it never became ready';
  const { failureReason, failureMessage } = config.status ?? {};
  return config.status?.ready ? { subject, config } : `it failed: ${failureReason}: ${failureMessage}`;
}

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

async function scripts(bench: ConformanceBench): Promise<readonly (readonly [string, string])[] | string> {
  const made = await happy(bench);
  if (typeof made === 'string') return made;
  const data = (await bench.installationSecret(made.config))?.data ?? {};
  return ['install', 'uninstall'].map((key) => [key, Buffer.from(data[key] ?? '', 'base64').toString('utf8')] as const);
}

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
  await bench.tell(subject, gateOpen, host);
  const recovered = await bench.until(subject.name, isReady);
  if (!recovered) return fail(`${what}: it does not recover when the host is another`);
  return recovered.status?.failureReason ? fail(`${what}: failureReason is still there after it recovered`) : pass;
}

/** The checks of the contract. Each makes its own objects. */
export const checks: readonly Check[] = [
  {
    id: 'C1',
    title: 'a config that no ByoMachine owns is left alone',
    async run(bench) {
      const subject = await bench.subject(gateOpen, bench.options.host);
      await bench.config(subject, { isOrphan: true });
      return verdict(await untouched(bench, subject));
    },
  },
  {
    id: 'C2',
    title: 'nothing is made while the Cluster cannot be found',
    async run(bench) {
      const subject = await bench.subject(gateOpen, bench.options.host, 'no-such-cluster');
      await bench.config(subject);
      return verdict(await untouched(bench, subject));
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
      return verdict((await untouched(bench, first)) ?? (await untouched(bench, second)));
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
        const complaint = await untouched(bench, subject);
        const reason = otherReasons[index];
        if (complaint !== undefined)
          return fail(
            `${reason && 'reason' in reason ? reason.reason : (reason?.status ?? 'no condition')}: ${complaint}`,
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
      await bench.tell(subject, gateOpen, bench.options.host);
      await bench.settle();
      const after = await bench.read(subject.name);
      if (before?.metadata.resourceVersion !== after?.metadata.resourceVersion)
        return fail('the config was written to');
      return after && (await bench.secrets(after)).length > 0 ? fail('a Secret was made') : pass;
    },
  },
  {
    id: 'C6',
    title: 'the Secret and the status have the form of the contract',
    async run(bench) {
      const made = await happy(bench);
      if (typeof made === 'string') return fail(made);
      const secret = await bench.installationSecret(made.config);
      if (!secret) return fail('status.installationSecret names no Secret that exists');
      const { apiVersion, kind } = bench.options.configKind;
      const [owner, ...more] = secret.metadata.ownerReferences ?? [];
      if (secret.type !== secretType) return fail(`the Secret has the type ${secret.type}, not ${secretType}`);
      if (secret.metadata.labels?.[clusterNameLabel] !== 'conformance')
        return fail(`the Secret lacks the label ${clusterNameLabel}`);
      if (
        more.length > 0 ||
        owner?.uid !== made.config.metadata.uid ||
        owner?.controller !== true ||
        owner.kind !== kind ||
        owner.apiVersion !== apiVersion
      )
        return fail('the Secret is not owned by the config, as its controller');
      const empty = ['install', 'uninstall'].find((key) => !secret.data?.[key]);
      return empty ? fail(`the Secret has no ${empty}`) : pass;
    },
  },
  {
    id: 'C7',
    title: 'looking again changes nothing',
    async run(bench) {
      const made = await happy(bench);
      if (typeof made === 'string') return fail(made);
      const before = await bench.installationSecret(made.config);
      await bench.touch(made.subject.name);
      await bench.settle();
      const after = await bench.installationSecret(made.config);
      return before?.metadata.resourceVersion === after?.metadata.resourceVersion
        ? pass
        : fail('the Secret was written again');
    },
  },
  {
    id: 'C8',
    title: 'a Secret of an earlier run is adopted, not made anew',
    async run(bench) {
      const first = await happy(bench);
      if (typeof first === 'string') return fail(first);
      const model = await bench.installationSecret(first.config);
      const subject = await bench.subject(undefined, bench.options.host);
      const config = await bench.config(subject);
      const data = {
        install: Buffer.from('echo "{{.BundleDownloadPath}}" earlier').toString('base64'),
        uninstall: Buffer.from('echo "{{.BundleDownloadPath}}" earlier').toString('base64'),
      };
      const owner = {
        ...(model?.metadata.ownerReferences?.[0] ?? {}),
        name: subject.name,
        uid: config.metadata.uid ?? '',
      };
      const suffix = model?.metadata.name?.startsWith(first.subject.name)
        ? model.metadata.name.slice(first.subject.name.length)
        : undefined;
      if (suffix === undefined)
        return { result: 'skip', detail: 'how the Secret is called cannot be told from the name of the config' };
      await bench.put({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `${subject.name}${suffix}`,
          namespace: bench.options.namespace,
          labels: { [clusterNameLabel]: 'conformance' },
          ownerReferences: [owner as never],
        },
        type: secretType,
        data,
      } as never);
      await bench.tell(subject, gateOpen, bench.options.host);
      const ready = await bench.until(subject.name, isReady);
      if (!ready) return fail('it never became ready');
      const secret = await bench.installationSecret(ready);
      return secret?.data?.['install'] === data.install && secret.metadata.name === `${subject.name}${suffix}`
        ? pass
        : fail('the scripts of the earlier run were replaced');
    },
  },
  {
    id: 'C9',
    title: 'a Secret of somebody else with the same name stays as it is',
    async run(bench) {
      const subject = await bench.subject(undefined, bench.options.host);
      await bench.config(subject);
      const data = { value: Buffer.from('join data').toString('base64') };
      await bench.put({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: subject.name, namespace: bench.options.namespace },
        type: secretType,
        data,
      } as never);
      await bench.tell(subject, gateOpen, bench.options.host);
      const settled = await bench.until(subject.name, isSettled);
      const { client, namespace } = bench.options;
      const after = await findObject(client, kinds.Secret, namespace, subject.name);
      if (JSON.stringify(after?.data) !== JSON.stringify(data)) return fail('it was overwritten');
      if (settled?.status?.ready && settled.status.installationSecret?.name === subject.name)
        return fail('it is named as the installation Secret');
      return settled ? pass : fail('neither another name nor a failure');
    },
  },
  {
    id: 'C10',
    title: 'both scripts have {{.BundleDownloadPath}}, and no other braces',
    async run(bench) {
      const found = await scripts(bench);
      if (typeof found === 'string') return fail(found);
      for (const [key, text] of found) {
        if (!text.includes('{{.BundleDownloadPath}}')) return fail(`${key} has no {{.BundleDownloadPath}}`);
        if (text.replaceAll('{{.BundleDownloadPath}}', '').includes('{{'))
          return fail(`${key} has other braces, which agents do not understand`);
      }
      return pass;
    },
  },
  {
    id: 'C11',
    title: 'what is not supported is told, and mends itself; an unknown host is waited for',
    async run(bench) {
      const notes: string[] = [];
      for (const what of ['osimage', 'architecture', 'version'] as const) {
        const finding = await unsupported(bench, what);
        if (finding.result === 'fail') return finding;
        if (finding.detail) notes.push(finding.detail);
      }
      const subject = await bench.subject(gateOpen, undefined);
      await bench.config(subject);
      const complaint = await untouched(bench, subject);
      if (complaint !== undefined) return fail(`a host of which nothing is known: ${complaint}`);
      return notes.length > 0 ? { result: 'pass', detail: notes.join('; ') } : pass;
    },
  },
  {
    id: 'C12',
    title: 'a config that is deleted goes, and its Secret with it',
    async run(bench) {
      const made = await happy(bench);
      if (typeof made === 'string') return fail(made);
      await bench.removeConfig(made.subject.name);
      const { client } = bench.options;
      const until = client.clock.monotonic() + (bench.options.patienceMs ?? 15_000);
      while (client.clock.monotonic() < until) {
        if (!(await bench.read(made.subject.name))) {
          await bench.settle();
          const left = await bench.installationSecret(made.config);
          return left
            ? { result: 'pass', detail: 'the Secret is left to the garbage collector, which is not running or slow' }
            : pass;
        }
        await sleep(client.clock, 50);
      }
      return fail('its finalizers keep it');
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
  {
    id: 'C15',
    title: 'bash can read both scripts',
    async run(bench) {
      const found = await scripts(bench);
      if (typeof found === 'string') return fail(found);
      for (const [key, text] of found) {
        const mistake = await syntaxMistake(text.replaceAll('{{.BundleDownloadPath}}', '/var/lib/byoh/bundles'));
        if (mistake !== undefined) return fail(`${key}: ${mistake}`);
      }
      return pass;
    },
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
