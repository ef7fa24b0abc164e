import type { Storage } from '../../storage/storage.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { priority } from './priority.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

/** The plugins that are on unless they are switched off, in upstream's order. */
export function builtinPlugins(storage: Storage): AdmissionPlugin[] {
  return [
    namespaceLifecycle(storage),
    taintNodesByCondition,
    priority(storage),
    defaultTolerationSeconds,
    defaultStorageClass(storage),
    storageObjectInUseProtection,
  ];
}
