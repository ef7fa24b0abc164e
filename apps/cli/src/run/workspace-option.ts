import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { KubeObject } from '@tektite/meta';
import type { WorkspaceBinding } from '@tektite/pipelines';
import { badInput } from '../input/bad-input.ts';

/** A workspace of the command line: its binding, and the objects that it needs. */
export interface WorkspaceOption {
  readonly binding: WorkspaceBinding;
  readonly objects: readonly KubeObject[];
}

const forms = 'emptyDir, claim:NAME[/SUBPATH], configMap:NAME, secret:NAME, or a folder as ./here';

/** `-w name=…` in one of its forms. Folders are offered to Pods of this machine alone. */
export async function readWorkspace(text: string, onThisMachine: boolean): Promise<WorkspaceOption> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (!name || !value) throw badInput(`-w: ${JSON.stringify(text)} is no name=…: ${forms}`);
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(value)) return await folderOption(name, value, onThisMachine);
  const binding = bindingOf(value);
  if (!binding && (await stat(value).catch(() => undefined))?.isDirectory())
    return await folderOption(name, value, onThisMachine);
  if (!binding) throw badInput(`-w ${name}: ${JSON.stringify(value)} is none of ${forms}`);
  return { binding: { name, ...binding }, objects: [] };
}

function bindingOf(value: string): Omit<WorkspaceBinding, 'name'> | undefined {
  if (value === 'emptyDir') return { emptyDir: {} };
  const [, kind = '', object = ''] = /^(\w+):(.+)$/s.exec(value) ?? [];
  switch (kind) {
    case 'claim': {
      const [claimName = '', ...path] = object.split('/');
      return { persistentVolumeClaim: { claimName }, ...(path.length > 0 ? { subPath: path.join('/') } : {}) };
    }
    case 'configMap':
      return { configMap: { name: object } };
    case 'secret':
      return { secret: { secretName: object } };
    default:
      return undefined;
  }
}

/** A folder as a volume that is there already, and the claim to it. */
async function folderOption(name: string, value: string, onThisMachine: boolean): Promise<WorkspaceOption> {
  if (!onThisMachine)
    throw badInput(`-w ${name}: the cluster does not see folders of this machine; name a claim of it`);
  const path = resolve(value);
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) throw badInput(`-w ${name}: ${path}: there is no such folder`);
  const object = `workspace-${name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-')}`;
  const shared = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: object },
      spec: { ...shared, capacity: { storage: '1Gi' }, hostPath: { path }, persistentVolumeReclaimPolicy: 'Retain' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: object },
      spec: { ...shared, volumeName: object, resources: { requests: { storage: '1Gi' } } },
    },
  ];
  return { binding: { name, persistentVolumeClaim: { claimName: object } }, objects };
}
