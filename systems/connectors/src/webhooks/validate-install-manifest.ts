import { equalJson, type FieldError } from '@tektite/meta';
import type { InstallManifest } from '../kinds/install-manifest.ts';

/** Who may write what an InstallManifest says: undefined is everybody. */
export type OperatorUsers = readonly string[] | undefined;

/** What the operator wrote is what it goes by: nobody else may change it. Pure. */
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
