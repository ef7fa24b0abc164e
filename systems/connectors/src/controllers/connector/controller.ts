import {
  anyOf,
  type ControllerDefinition,
  defineController,
  done,
  failed,
  generationChanged,
  labelsChanged,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import type { PhaseResult } from '@tektite/installer';
import { findCondition, isStatusError } from '@tektite/meta';
import { connectorFinalizer } from '../../connector-keys.ts';
import { Connector, type ConnectorStatus } from '../../kinds/connector.ts';
import { refreshMs } from '../../payload/manifest-fetcher.ts';
import { RenderFailure } from '../../render-failure.ts';
import { performActions, writeStatus } from './act.ts';
import type { ConnectorControllerOptions } from './connector-options.ts';
import { byConnector, manifests, namespaces } from './connector-sources.ts';
import { connectorStatus, failedAction, installedFacts, installPhases, transformedPhase } from './decide-status.ts';
import { decideConnector } from './decide.ts';
import { finalizeConnector } from './finalize-connector.ts';
import { observe, type ObservedConnector, observeRendering, type Rendering } from './observe.ts';
import { payloadChanges } from './payload-changes.ts';

/** Reconciles Connectors: renders them, records the objects in InstallManifests, and reports the state of these. */
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
    reconcile: (connector, context) => reconcile(observe(connector, context), context, options),
  });
}

async function reconcile(
  observed: ObservedConnector,
  context: ReconcileContext,
  options: ConnectorControllerOptions,
): Promise<Result> {
  const { connector, isNamespaceTerminating } = observed;
  const { generation, namespace = '' } = connector.metadata;
  const report = (results: readonly PhaseResult[], facts?: Partial<ConnectorStatus>) =>
    writeStatus(observed, connectorStatus(observed, results, facts), context);
  const transformed = findCondition(connector.status?.conditions, 'TransformersSucceeded');
  if (transformed?.observedGeneration !== generation) {
    // Rendering may take long, so the status reports the new generation first.
    const reason = transformed ? 'Rendering' : 'Pending';
    const message = 'the newest change is being rendered';
    await report([{ condition: 'TransformersSucceeded', status: 'Unknown', reason, message }]);
    return requeueAfter(0);
  }
  if (isNamespaceTerminating) {
    const message = `namespace ${namespace} is being deleted`;
    await report([{ condition: 'InstallSucceeded', status: 'False', reason: 'NamespaceTerminating', message }]);
    return done;
  }
  const rendering = await observeRendering(connector, context, options);
  if (!(rendering instanceof RenderFailure)) return install(observed, rendering, context, options, report);
  // Installed objects stay.
  const { reason, message, retryMs } = rendering;
  await report([{ condition: 'TransformersSucceeded', status: 'False', reason, message }]);
  const retry = retryMs ?? (reason === 'FetchFailed' ? 60_000 : undefined);
  return retry === undefined ? done : requeueAfter(retry);
}

async function install(
  { connector, found }: ObservedConnector,
  { rendered, wanted }: Rendering,
  context: ReconcileContext,
  { operatorVersion, requeueMs }: ConnectorControllerOptions,
  report: (results: readonly PhaseResult[], facts?: Partial<ConnectorStatus>) => Promise<void>,
): Promise<Result> {
  const transformed = transformedPhase(rendered);
  const decision = decideConnector({ found, wanted, operatorVersion });
  if (decision.actions.some(({ type }) => type === 'create' || type === 'update'))
    context.event({ reason: 'Rendered', message: `${rendered.size} objects, hash ${rendered.manifestsHash}` });
  const problem = await performActions(decision.actions, context);
  if (problem) {
    await report([transformed, failedAction(problem.action, problem.error)]);
    return isStatusError(problem.error, 'Forbidden') ? requeueAfter(requeueMs) : failed(problem.error);
  }
  const results = installPhases(decision, found);
  const facts = installedFacts(rendered, results, operatorVersion);
  await report([transformed, ...results], facts);
  if (!facts.manifestsHash) return requeueAfter(requeueMs);
  return connector.spec.additionalManifests ? requeueAfter(refreshMs) : done;
}
