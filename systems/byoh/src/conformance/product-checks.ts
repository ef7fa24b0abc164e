import { kinds } from '@tektite/client';
import { sleep } from '@tektite/meta';
import { syntaxError } from '../agent/sandbox/dry-run-sandbox.ts';
import { findObject } from '../find-object.ts';
import { clusterNameLabel, secretType } from '../wire-names.ts';
import { type Check, fail, happy, isReady, isSettled, pass } from './check.ts';
import { type ConformanceBench, gateOpen } from './conformance-bench.ts';

async function scripts(bench: ConformanceBench): Promise<readonly (readonly [string, string])[] | string> {
  const made = await happy(bench);
  if (typeof made === 'string') return made;
  const data = (await bench.installationSecret(made.config))?.data ?? {};
  return ['install', 'uninstall'].map((key) => [key, Buffer.from(data[key] ?? '', 'base64').toString('utf8')] as const);
}

/** Checks of the objects that an installer creates, and of their owners. */
export const productChecks: readonly Check[] = [
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
    title: 'another reconcile changes nothing',
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
    title: 'a Secret of an earlier run is adopted, not recreated',
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
        ...model?.metadata.ownerReferences?.[0],
        name: subject.name,
        uid: config.metadata.uid ?? '',
      };
      const suffix = model?.metadata.name?.startsWith(first.subject.name)
        ? model.metadata.name.slice(first.subject.name.length)
        : undefined;
      if (suffix === undefined)
        return { result: 'skip', detail: 'the name of the Secret cannot be derived from the name of the config' };
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
      await bench.setGate(subject, gateOpen, bench.options.host);
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
    title: 'a Secret of another owner with the same name stays as it is',
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
      await bench.setGate(subject, gateOpen, bench.options.host);
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
    id: 'C15',
    title: 'bash can read both scripts',
    async run(bench) {
      const found = await scripts(bench);
      if (typeof found === 'string') return fail(found);
      for (const [key, text] of found) {
        const error = await syntaxError(text.replaceAll('{{.BundleDownloadPath}}', '/var/lib/byoh/bundles'));
        if (error !== undefined) return fail(`${key}: ${error}`);
      }
      return pass;
    },
  },
];
