import type { Clock, Random } from '@tektite/meta';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts';
import { defaultIngressClass } from './default-ingress-class.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { limitRanger } from './limit-ranger/limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction/node-restriction.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { podResizeValidator } from './pod-resize-validator.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priority } from './priority.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface PluginParts {
  readonly storage: Storage;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
}

/** The plugins that are on unless they are switched off, in upstream's order; webhooks, policies and quotas follow them. */
export function builtinPlugins({ storage, authorizer, clock, random }: PluginParts): AdmissionPlugin[] {
  return [
    namespaceLifecycle(storage),
    limitRanger(storage),
    serviceAccount(storage, clock, random),
    nodeRestriction(storage, authorizer),
    taintNodesByCondition,
    podSecurity(storage),
    priority(storage),
    defaultTolerationSeconds,
    defaultStorageClass(storage),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(storage),
    runtimeClass(storage),
    certificateApproval(authorizer),
    certificateSigning(authorizer),
    certificateSubjectRestriction,
    defaultIngressClass(storage),
    podTopologyLabels(storage),
    podResizeValidator(storage),
  ];
}
