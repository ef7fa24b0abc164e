import type { EventText } from '@tektite/controller/events';
import type { PhaseResult } from '@tektite/installer';
import { findCondition, formatTime, isConditionTrue } from '@tektite/meta';
import type { ConnectorStatus } from '../../kinds/connector.ts';
import type { InstallManifest } from '../../kinds/install-manifest.ts';
import { manifestTypeOf } from '../../kinds/manifest-type.ts';
import type { Rendered } from '../../render/render-connector.ts';
import { connectorConditions, installResults, isReady, unknownResults } from './connector-conditions.ts';
import { type ConnectorDecision, inOrder, type ManifestAction } from './decide.ts';
import type { ObservedConnector } from './observe.ts';

/** The status of a Connector, with these results of its phases. Facts are written once everything is installed. */
export function connectorStatus(
  { connector, found, now }: ObservedConnector,
  results: readonly PhaseResult[],
  facts: Partial<ConnectorStatus> = {},
): ConnectorStatus {
  const { generation = 0 } = connector.metadata;
  const before: ConnectorStatus = connector.status ?? {};
  const conditions = connectorConditions.update(before.conditions ?? [], results, { now: formatTime(now), generation });
  const own = inOrder(found).map((manifest) => ({
    name: manifest.metadata.name ?? '',
    type: manifestTypeOf(manifest),
    ready: isReady(manifest),
  }));
  const installManifests = own.length > 0 || before.installManifests ? { installManifests: own } : {};
  return { ...before, ...facts, observedGeneration: generation, ...installManifests, conditions };
}

/** The phase results after InstallManifests were written: theirs, unless the decision has to wait. */
export function installPhases({ state }: ConnectorDecision, found: readonly InstallManifest[]): readonly PhaseResult[] {
  return state ? unknownResults(state.reason, state.message) : installResults(found);
}

/** The facts about an installation; none before it is complete. */
export function installedFacts(
  { payloadVersion, manifestsHash }: Rendered,
  results: readonly PhaseResult[],
  operatorVersion: string,
): Partial<ConnectorStatus> {
  if (results.some(({ status }) => status !== 'True')) return {};
  return { connectorVersion: payloadVersion, releaseVersion: operatorVersion, manifestsHash };
}

export function transformedPhase({ size }: Rendered): PhaseResult {
  return {
    condition: 'TransformersSucceeded',
    status: 'True',
    reason: 'Transformed',
    message: `${size} objects rendered`,
  };
}

/** The phase result of an action on an InstallManifest that the API denied. */
export function failedAction(action: ManifestAction, { message }: Error): PhaseResult {
  const name = 'wanted' in action ? action.wanted.name : (action.manifest.metadata.name ?? '');
  const reason = action.type === 'create' ? 'CreateFailed' : 'UpdateFailed';
  return { condition: 'InstallSucceeded', status: 'False', reason, message: `InstallManifest ${name}: ${message}` };
}

/** The Events of a changed `Ready` condition. */
export function statusEvents(before: ConnectorStatus, after: ConnectorStatus): readonly EventText[] {
  const ready = findCondition(after.conditions, 'Ready');
  const old = findCondition(before.conditions, 'Ready');
  if (!ready || (old?.reason === ready.reason && old?.status === ready.status)) return [];
  if (ready.status === 'False')
    return [{ type: 'Warning', reason: ready.reason ?? 'Failed', message: ready.message ?? '' }];
  if (!isConditionTrue(after.conditions, 'Ready') || before.manifestsHash === after.manifestsHash) return [];
  const upgraded = before.releaseVersion !== undefined && before.releaseVersion !== after.releaseVersion;
  const message = `version ${after.connectorVersion}, by operator ${after.releaseVersion}`;
  return [{ reason: upgraded ? 'Upgraded' : 'Installed', message }];
}
