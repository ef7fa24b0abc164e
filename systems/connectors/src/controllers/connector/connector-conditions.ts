import { type PhaseResult, summaryStyle } from '@tektite/installer';
import { findCondition, isConditionTrue } from '@tektite/meta';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { manifestTypeOf } from '../../kinds/manifest-type.ts';
import { inOrder } from './decide.ts';

export const connectorConditions = summaryStyle({
  summary: 'Ready',
  types: ['TransformersSucceeded', 'InstallSucceeded', 'WorkloadAvailable'],
  ready: { reason: 'Ready', message: 'everything is installed and available' },
  unknown: { reason: 'Pending', message: 'not reconciled yet' },
});

const installTypes = ['CrdInstalled', 'ClustersScoped', 'NamespaceScoped'];
const workloadTypes = ['DeploymentsAvailable', 'StatefulSetReady'];

type Finding = Omit<PhaseResult, 'condition'>;

/** The conditions of a Connector, from its InstallManifests. Pure. */
export function installResults(found: readonly InstallManifest[]): readonly PhaseResult[] {
  const ordered = inOrder(found);
  const install = ordered.flatMap((manifest) => findings(manifest, installTypes));
  const workloads = ordered
    .filter((manifest) => manifestTypeOf(manifest) === 'deployment')
    .flatMap((manifest) => findings(manifest, workloadTypes));
  return [
    { condition: 'InstallSucceeded', ...worst(install, 'Installed', 'all objects are installed') },
    { condition: 'WorkloadAvailable', ...worst(workloads, 'Available', 'all workloads are available') },
  ];
}

/** Nothing is known until something new is seen. */
export function unknownResults(reason: string, message: string): readonly PhaseResult[] {
  return ['InstallSucceeded', 'WorkloadAvailable'].map((condition) => ({
    condition,
    status: 'Unknown',
    reason,
    message,
  }));
}

function worst(findings: readonly Finding[], reason: string, message: string): Finding {
  return (
    findings.find(({ status }) => status === 'False') ??
    findings.find(({ status }) => status === 'Unknown') ?? { status: 'True', reason, message }
  );
}

function findings(manifest: InstallManifest, types: readonly string[]): readonly Finding[] {
  const { name = '', generation } = manifest.metadata;
  const { conditions, observedGeneration } = manifest.status ?? {};
  if (observedGeneration !== generation)
    return [{ status: 'Unknown', reason: 'Installing', message: `${name}: not reconciled yet` }];
  const ready = findCondition(conditions, 'Ready');
  const held =
    types === installTypes && (ready?.reason === 'RenderMismatch' || ready?.reason === 'WaitingForDependency')
      ? [
          {
            status: ready.reason === 'RenderMismatch' ? ('False' as const) : ('Unknown' as const),
            reason: ready.reason,
            message: `${name}: ${ready.message ?? ''}`,
          },
        ]
      : [];
  return [
    ...held,
    ...types.flatMap((type) => {
      const found = findCondition(conditions, type);
      if (!found) return [{ status: 'Unknown' as const, reason: 'Installing', message: `${name}: ${type}` }];
      const { status, reason = status, message } = found;
      return [{ status, reason, message: `${name}: ${message ?? ''}` }];
    }),
  ];
}

export function isReady({ metadata, status }: InstallManifest): boolean {
  return status?.observedGeneration === metadata.generation && isConditionTrue(status?.conditions, 'Ready');
}
