import type { DynamicObject } from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import { expect, it } from 'vitest';
import type { Generated } from '../../installer/k8s-scripts.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import { clusterNameLabel } from '../../wire-names.ts';
import { decideScripts } from './decide.ts';

const kind = { group: 'example.com', version: 'v1', kind: 'EchoConfig' };
const config: DynamicObject = {
  apiVersion: 'example.com/v1',
  kind: 'EchoConfig',
  metadata: { name: 'c1', namespace: 'default', uid: 'u1' },
};
const machine = {
  apiVersion: 'v1',
  kind: 'ByoMachine',
  metadata: { name: 'm1', labels: { [clusterNameLabel]: 'k1' } },
} as ByoMachine;
const generate = (): Generated => ({ ok: true, scripts: { install: 'echo in', uninstall: 'echo out' } });
const encode = (text: string) => Buffer.from(text).toString('base64');
const names = (secrets: readonly Secret[] = []) => ({
  config,
  bootstrapSecretName: undefined,
  secrets: new Map(secrets.map((secret) => [secret.metadata.name ?? '', secret])),
});
const ownSecret = (data: Readonly<Record<string, string>>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'c1', ownerReferences: [{ apiVersion: 'v1', kind: 'EchoConfig', name: 'c1', uid: 'u1' }] },
  data,
});

it('creates a Secret with both scripts that the config controls', () => {
  const plan = decideScripts({ kind, generate }, config, machine, names());
  expect(plan).toMatchObject({
    type: 'create',
    name: 'c1',
    secret: {
      metadata: {
        labels: { [clusterNameLabel]: 'k1' },
        ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'EchoConfig', uid: 'u1', controller: true }],
      },
      data: { install: encode('echo in'), uninstall: encode('echo out') },
    },
  });
});

it('fills a Secret in which a script is missing, and adopts a whole one', () => {
  const broken = decideScripts({ kind, generate }, config, machine, names([ownSecret({ install: 'x' })]));
  expect(broken).toMatchObject({ type: 'update', secret: { data: { install: encode('echo in') } } });
  const whole = decideScripts(
    { kind, generate },
    config,
    machine,
    names([ownSecret({ install: 'x', uninstall: 'y' })]),
  );
  expect(whole).toEqual({ type: 'adopt', name: 'c1' });
});

it('reports an installer that has no scripts for the host', () => {
  const none = (): Generated => ({ ok: false, failureReason: 'UnknownOS', failureMessage: 'Plan 9' });
  expect(decideScripts({ kind, generate: none }, config, machine, names())).toEqual({
    type: 'failed',
    failureReason: 'UnknownOS',
    failureMessage: 'Plan 9',
  });
});

it('does not retry an installer that made an empty script', () => {
  const empty = (): Generated => ({ ok: true, scripts: { install: '', uninstall: '' } });
  expect(() => decideScripts({ kind, generate: empty }, config, machine, names())).toThrow('empty install script');
});
