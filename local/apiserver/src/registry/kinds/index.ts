import type { KubeObject } from '@tektite/meta';
import type { KindStrategy } from '../kind-strategy.ts';
import { podStrategy } from './core/pod/pod.ts';

/**
 * Strategies of one kind are written for its own type; the registry keeps them for objects of any type. The registry
 * never hands one an object of another kind.
 */
function forAnyObject<T extends KubeObject>(strategy: KindStrategy<T>): KindStrategy {
  return strategy as unknown as KindStrategy;
}

const strategies = new Map<string, KindStrategy>([['/v1/Pod', forAnyObject(podStrategy)]]);

/** What a built-in kind does beyond storing JSON; `undefined` for kinds that do nothing. */
export function strategyOf(group: string, version: string, kind: string): KindStrategy | undefined {
  return strategies.get(`${group}/${version}/${kind}`);
}
