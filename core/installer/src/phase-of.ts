import type { DynamicObject } from '@tektite/meta';
import type { InstallerDialect, InstallPhase, ObjectScope } from './dialect.ts';

/** The phase that creates an object: the first that accepts it. */
export function phaseOf(
  { phases }: InstallerDialect,
  object: DynamicObject,
  scope: ObjectScope | undefined,
): InstallPhase | undefined {
  return phases.find(({ install, accepts }) => install && accepts(object, scope));
}
