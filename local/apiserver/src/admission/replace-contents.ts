import { setOwn } from '@tektite/meta';
import type { Draft } from '../registry/resource.ts';

/** Makes one object the same as another without becoming it: others hold on to the first. */
export function replaceContents(target: Draft, source: Draft): void {
  for (const key of Object.keys(target)) delete target[key];
  for (const key of Object.keys(source)) setOwn(target, key, source[key]);
}
