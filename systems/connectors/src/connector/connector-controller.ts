import { kinds } from '@tektite/client';
import {
  anyOf,
  type CachedSource,
  type Channel,
  type ControllerDefinition,
  defineController,
  done,
  failed,
  generationChanged,
  labelsChanged,
  mapped,
  project,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import type { PhaseResult } from '@tektite/installer';
import { findCondition, formatTime, isConditionTrue, isStatusError } from '@tektite/meta';
import { connectorFinalizer } from '../connector-keys.ts';
import { Connector, type ConnectorStatus } from '../kinds/connector.ts';
import { InstallManifest } from '../kinds/install-manifest.ts';
import { refreshMs } from '../payload/manifest-fetcher.ts';
import type { PayloadSource } from '../payload/payload.ts';
import type { Rendered } from '../render/render-connector.ts';
import { RenderFailure } from '../render-failure.ts';
import type { Renderer } from '../render/renderer.ts';
import { connectorConditions, installResults, isReady, unknownResults } from './connector-conditions.ts';
import { type ConnectorDecision, decideConnector, inOrder, type ManifestAction } from './decide-connector.ts';
import { manifestTypeOf } from '../install-manifest/manifest-type.ts';
import { finalizeConnector } from './finalize-connector.ts';
import { type WantedManifest, wantedManifests } from './manifest-for.ts';
import { connectorKeys } from './manifest-index.ts';
import { payloadChanges } from './payload-changes.ts';
import { writeManifest } from './write-manifests.ts';

export interface ConnectorControllerOptions {
  readonly renderer: Renderer;
  readonly payloads: PayloadSource;
  readonly operatorVersion: string;
  /** Connectors whose InstallManifests are not what they should be. */
  readonly nudges: Channel;
  /** Default: as many as the manager says. */
  readonly workers?: number;
  readonly requeueMs: number;
  readonly resyncMs: number;
  /** How often payloads are checked. */
  readonly payloadCheckMs: number;
}

const byConnector = 'connector';
const manifests: CachedSource<InstallManifest> = mapped(InstallManifest, connectorKeys, {
  indexes: { [byConnector]: connectorKeys },
});
const namespaces = mapped(
  kinds.Namespace,
  ({ metadata }, own) => [...own.keys()].filter((key) => key.startsWith(`${metadata.name}/`)),
  {
    transform: project(kinds.Namespace, { metadata: { deletionTimestamp: true }, status: { phase: true } }),
    predicate: (change) => change.type !== 'modified' || change.object.status?.phase !== change.before.status?.phase,
  },
);

/** Renders Connectors, records what they want in InstallManifests, and says how far those are. */
export function connectorController(options: ConnectorControllerOptions): ControllerDefinition {
  return defineController<Connector>({
    name: 'connectors',
    kind: Connector,
    sources: [manifests, namespaces, options.nudges, payloadChanges(options.payloads, options.payloadCheckMs)],
    predicate: anyOf(generationChanged(), labelsChanged()),
    ...(options.workers === undefined ? {} : { concurrency: options.workers }),
    resyncMs: options.resyncMs,
    backoff: { firstMs: 1_000, maxMs: 120_000 },
    finalizer: {
      name: connectorFinalizer,
      cleanup: async (connector, context) => {
        const found = context.cache(manifests).byIndex(byConnector, context.key);
        const result = await finalizeConnector(connector, found, context, options.requeueMs);
        if (result.type === 'done') options.renderer.forget(connector.metadata.uid ?? '');
        return result;
      },
    },
    reconcile: (connector, context) => new ConnectorReconcile(connector, context, options).reconcile(),
  });
}

/** One reconcile of a Connector. */
class ConnectorReconcile {
  private readonly connector: Connector;
  private readonly context: ReconcileContext;
  private readonly options: ConnectorControllerOptions;
  private readonly found: readonly InstallManifest[];

  constructor(connector: Connector, context: ReconcileContext, options: ConnectorControllerOptions) {
    this.connector = connector;
    this.context = context;
    this.options = options;
    this.found = context.cache(manifests).byIndex(byConnector, context.key);
  }

  async reconcile(): Promise<Result> {
    const { generation } = this.connector.metadata;
    const transformed = findCondition(this.connector.status?.conditions, 'TransformersSucceeded');
    if (transformed?.observedGeneration !== generation) return this.announce(transformed !== undefined);
    const { namespace = '' } = this.connector.metadata;
    if (this.context.cache(namespaces).get(namespace)?.status?.phase === 'Terminating')
      return this.stop('NamespaceTerminating', `namespace ${namespace} is being deleted`);
    let plan: { readonly rendered: Rendered; readonly wanted: readonly [WantedManifest, WantedManifest] };
    try {
      const rendered = await this.options.renderer.render(this.context.client, this.connector, this.context.signal);
      plan = { rendered, wanted: wantedManifests(this.connector, rendered, this.options.operatorVersion) };
    } catch (error) {
      if (!(error instanceof RenderFailure)) throw error;
      return this.renderFailed(error);
    }
    return this.install(plan.rendered, plan.wanted);
  }

  /** Says that there is something new before anything that may take long. */
  private async announce(seenBefore: boolean): Promise<Result> {
    const reason = seenBefore ? 'Rendering' : 'Pending';
    await this.updateStatus([
      { condition: 'TransformersSucceeded', status: 'Unknown', reason, message: 'the newest change is being rendered' },
    ]);
    return requeueAfter(0);
  }

  private async stop(reason: string, message: string): Promise<Result> {
    await this.updateStatus([{ condition: 'InstallSucceeded', status: 'False', reason, message }]);
    return done;
  }

  /** Installed objects stay. */
  private async renderFailed({ reason, message, retryMs }: RenderFailure): Promise<Result> {
    await this.updateStatus([{ condition: 'TransformersSucceeded', status: 'False', reason, message }]);
    const retry = retryMs ?? (reason === 'FetchFailed' ? 60_000 : undefined);
    return retry === undefined ? done : requeueAfter(retry);
  }

  private async install(rendered: Rendered, wanted: readonly [WantedManifest, WantedManifest]): Promise<Result> {
    const { operatorVersion, requeueMs } = this.options;
    const transformed: PhaseResult = {
      condition: 'TransformersSucceeded',
      status: 'True',
      reason: 'Transformed',
      message: `${rendered.size} objects rendered`,
    };
    const decision = decideConnector({ found: this.found, wanted, operatorVersion });
    if (decision.actions.some(({ type }) => type === 'create' || type === 'update'))
      this.context.event({ reason: 'Rendered', message: `${rendered.size} objects, hash ${rendered.manifestsHash}` });
    for (const action of decision.actions) {
      const problem = await this.act(action);
      if (problem) return this.actFailed(transformed, action, problem);
    }
    const results = resultsOf(decision, this.found);
    const facts = this.factsOf(rendered, results);
    await this.updateStatus([transformed, ...results], facts);
    if (!facts.manifestsHash) return requeueAfter(requeueMs);
    return this.connector.spec.additionalManifests ? requeueAfter(refreshMs) : done;
  }

  private async act(action: ManifestAction): Promise<Error | undefined> {
    const { client, signal } = this.context;
    try {
      await writeManifest(client, action, signal);
      return undefined;
    } catch (error) {
      // A concurrent write; the next reconcile observes it.
      if (!isStatusError(error) || isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists'))
        throw error;
      return error;
    }
  }

  private async actFailed(transformed: PhaseResult, action: ManifestAction, error: Error): Promise<Result> {
    const name = 'wanted' in action ? action.wanted.name : (action.manifest.metadata.name ?? '');
    const reason = action.type === 'create' ? 'CreateFailed' : 'UpdateFailed';
    const message = `InstallManifest ${name}: ${error.message}`;
    await this.updateStatus([transformed, { condition: 'InstallSucceeded', status: 'False', reason, message }]);
    return isStatusError(error, 'Forbidden') ? requeueAfter(this.options.requeueMs) : failed(error);
  }

  /** The status fields that are written once everything is installed. */
  private factsOf(rendered: Rendered, results: readonly PhaseResult[]): Partial<ConnectorStatus> {
    if (results.some(({ status }) => status !== 'True')) return {};
    return {
      connectorVersion: rendered.payloadVersion,
      releaseVersion: this.options.operatorVersion,
      manifestsHash: rendered.manifestsHash,
    };
  }

  private async updateStatus(results: readonly PhaseResult[], facts: Partial<ConnectorStatus> = {}): Promise<void> {
    const { connector, context, found } = this;
    const { generation = 0 } = connector.metadata;
    const before: ConnectorStatus = connector.status ?? {};
    const now = formatTime(context.clock.now());
    const conditions = connectorConditions.update(before.conditions ?? [], results, { now, generation });
    const own = inOrder(found).map((manifest) => ({
      name: manifest.metadata.name ?? '',
      type: manifestTypeOf(manifest),
      ready: isReady(manifest),
    }));
    const installManifests = own.length > 0 || before.installManifests ? { installManifests: own } : {};
    const status = { ...before, ...facts, observedGeneration: generation, ...installManifests, conditions };
    if (await context.writeStatus(connector, status)) this.report(before, status);
  }

  /** One Event for each change of what `Ready` says. */
  private report(before: ConnectorStatus, after: ConnectorStatus): void {
    const ready = findCondition(after.conditions, 'Ready');
    const old = findCondition(before.conditions, 'Ready');
    if (!ready || (old?.reason === ready.reason && old?.status === ready.status)) return;
    const { event } = this.context;
    if (ready.status === 'False')
      event({ type: 'Warning', reason: ready.reason ?? 'Failed', message: ready.message ?? '' });
    if (!isConditionTrue(after.conditions, 'Ready') || before.manifestsHash === after.manifestsHash) return;
    const upgraded = before.releaseVersion !== undefined && before.releaseVersion !== after.releaseVersion;
    const message = `version ${after.connectorVersion}, by operator ${after.releaseVersion}`;
    event({ reason: upgraded ? 'Upgraded' : 'Installed', message });
  }
}

function resultsOf({ state }: ConnectorDecision, found: readonly InstallManifest[]): readonly PhaseResult[] {
  return state ? unknownResults(state.reason, state.message) : installResults(found);
}
