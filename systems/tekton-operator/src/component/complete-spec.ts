import { printAsGo } from '@tektite/schema';
import type { Platform } from '../platform/platform.ts';
import type { ComponentDescription } from './component-description.ts';
import type { ComponentObject } from './component-object.ts';

/** The spec of a component as Go prints it, with its defaults. */
export function completeSpec<T extends ComponentObject>(
  { kind, applyDefaults }: Pick<ComponentDescription<T>, 'kind' | 'applyDefaults'>,
  spec: object | undefined,
  platform: Platform,
): NonNullable<T['spec']> {
  const schema = kind.fields?.spec;
  const given = printAsGo(spec as NonNullable<T['spec']> | undefined, schema);
  return printAsGo(applyDefaults(given, platform), schema);
}
