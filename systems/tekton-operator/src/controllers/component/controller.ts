import {
  cached,
  type CachedSource,
  type ControllerDefinition,
  defineController,
  mapped,
  owned,
  type ReconcileContext,
  type Result,
} from '@tektite/controller';
import { formatTime, knativeConditionSet } from '@tektite/meta';
import { TektonInstallerSet, TektonPipeline, TektonTrigger } from '../../kinds/kinds.ts';
import { markConditions } from '../../component/component-conditions.ts';
import type { ComponentDescription } from '../../component/component-description.ts';
import type { ComponentObject } from '../../component/component-object.ts';
import { observeComponent } from '../../component/observe-component.ts';
import { finalizeComponent } from './finalize-component.ts';
import type { OperatorServices } from '../../extension/operator-services.ts';
import { completeSteps } from '../../component/steps.ts';
import { advanceComponent } from './advance.ts';

/**
 * The controller of one component. All components go the same way: name, namespace, dependencies, platform, sets, network policies,
 * platform again; the description says what is special about each.
 */
export function componentController<T extends ComponentObject>(
  description: ComponentDescription<T>,
  services: OperatorServices,
): ControllerDefinition {
  const { kind, name } = description;
  const sets = owned(TektonInstallerSet);
  const allSets = cached(TektonInstallerSet);
  const dependsOnPipelines = description.dependency !== undefined;
  const pipelines = mapped(TektonPipeline, () => [name]);
  const triggers = mapped(TektonTrigger, () => [name]);
  const conditionSet = knativeConditionSet('Ready', description.conditions);
  const observed = (component: T, context: ReconcileContext) =>
    observeComponent(description, component, services, context, () => context.cache(allSets).list());
  const one = <C extends ComponentObject>(context: ReconcileContext, source: CachedSource<C>): C | undefined =>
    context.cache(source).list()[0];
  return defineController<T>({
    name: kind.kind.toLowerCase(),
    kind,
    concurrency: 2,
    sources: [
      sets,
      allSets,
      ...(dependsOnPipelines ? [pipelines] : []),
      ...(description.dependency?.triggers ? [triggers] : []),
    ],
    ...(description.hasFinalizer === false
      ? {}
      : {
          finalizer: {
            name: `${kind.plural}.operator.tekton.dev`,
            cleanup: (component: T, context: ReconcileContext) =>
              finalizeComponent(description, observed(component, context)),
          },
        }),
    async reconcile(component, context): Promise<Result | undefined> {
      const now = formatTime(context.clock.now());
      const steps = advanceComponent(description, observed(component, context), {
        pipeline: dependsOnPipelines ? (one(context, pipelines) as ComponentObject | undefined) : undefined,
        trigger: description.dependency?.triggers ? (one(context, triggers) as ComponentObject | undefined) : undefined,
      });
      const completed = await completeSteps(steps);
      const { version, annotations } = 'outcome' in completed ? completed.outcome : {};
      await context.writeStatus(component, {
        ...component.status,
        observedGeneration: component.metadata.generation ?? 0,
        ...(version === undefined ? {} : { version }),
        ...(annotations ? { annotations } : {}),
        conditions: markConditions(conditionSet, component.status?.conditions, completed.marks, now),
      } as never);
      if ('error' in completed) throw completed.error;
      return completed.outcome.result;
    },
  });
}
