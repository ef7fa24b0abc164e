import { equalJson, type FieldError } from '@tektite/meta';
import type { InstallManifest } from '../kinds/install-manifest.ts';

/** The users that may write the spec of an InstallManifest; undefined allows all. */
export type OperatorUsers = readonly string[] | undefined;

/** The operator relies on its own records, so no other user may change them. Pure. */
export function validateInstallManifest(
  manifest: InstallManifest,
  old: InstallManifest | undefined,
  user: string,
  operators: OperatorUsers,
): readonly FieldError[] {
  if (operators === undefined || operators.includes(user)) return [];
  if (old && equalJson(old.spec, manifest.spec)) return [];
  const hint = 'InstallManifests are written by the operator; change the Connector';
  return [{ reason: 'FieldValueForbidden', field: 'spec', message: `Forbidden: ${hint}` }];
}
