import { cached, type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime, knativeConditionSet } from '@tektite/meta';
import { markConditions } from '../../component/component-conditions.ts';
import { requeueLater } from '../../extension/progress.ts';
import { InstallerSets } from '../../installer-set/installer-sets.ts';
import { TektonInstallerSet } from '../../kinds/kinds.ts';
import { TektonHub } from '../../kinds/tekton-hub.ts';

const conditions = knativeConditionSet('Ready', []);
const sets = cached(TektonInstallerSet);

/** Says of every TektonHub that it is a thing of the past, and lets it go with what earlier operators installed for it. */
export function hubController(): ControllerDefinition {
  return defineController({
    name: 'tektonhub',
    kind: TektonHub,
    sources: [sets],
    finalizer: {
      name: 'tektonhubs.operator.tekton.dev',
      async cleanup(hub, { client, cache }) {
        const own = new InstallerSets(client, hub, () => cache(sets).list());
        const left = own.of('TektonHub');
        await own.deleteAll(left);
        return left.length > 0 ? requeueLater : undefined;
      },
    },
    async reconcile(hub, { clock, writeStatus }) {
      const notReady = 'Resource ignored, Tekton Hub is not installed any more; delete this resource';
      const marked = markConditions(conditions, hub.status?.conditions, [{ notReady }], formatTime(clock.now()));
      const observedGeneration = hub.metadata.generation ?? 0;
      await writeStatus(hub, { ...hub.status, conditions: marked, observedGeneration });
    },
  });
}
