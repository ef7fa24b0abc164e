import { builtinKinds } from '@tektite/schema/kubernetes';
import { type BuiltinConversion, builtinResource } from './builtin-resource.ts';
import { eventConversion } from './conversions/event.ts';
import { horizontalPodAutoscalerConversion } from './conversions/horizontal-pod-autoscaler.ts';
import { strategyOf } from './kinds/index.ts';
import type { Resource } from './resource.ts';

/** The kinds that are served in another version than they are stored in. */
const conversions: ReadonlyMap<string, BuiltinConversion> = new Map([
  ['events.k8s.io/v1/Event', eventConversion],
  ['autoscaling/v1/HorizontalPodAutoscaler', horizontalPodAutoscalerConversion],
]);

/** Every built-in resource. */
export function builtinResources(): Resource[] {
  return builtinKinds.map((kind) => {
    const { group, version, kind: name } = kind;
    return builtinResource(
      kind,
      strategyOf(group, version, name) ?? {},
      conversions.get(`${group}/${version}/${name}`),
    );
  });
}
