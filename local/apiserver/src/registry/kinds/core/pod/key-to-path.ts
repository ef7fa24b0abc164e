import type { FieldError, FieldPath } from '@tektite/meta';
import type { KeyToPath } from '@tektite/schema/kubernetes';
import { checkFields } from '../volume-sources.ts';
import { checkFileMode, checkNonReservedPath } from '../paths.ts';

/** One key of a ConfigMap or Secret and the file it becomes. */
export function validateKeyToPath(item: KeyToPath, path: FieldPath, errors: FieldError[]): void {
  checkFields(item, ['key', 'path'], path, errors);
  checkNonReservedPath(item.path ?? '', path.child('path'), errors);
  checkFileMode(item.mode, path.child('mode'), errors);
}
