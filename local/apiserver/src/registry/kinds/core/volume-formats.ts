import { type FieldError, type FieldPath, invalid, Quantity } from '@tektite/meta';

/** The annotation that named the class of a volume before there was a field for it. */
export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

const shortModes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** `RWO,ROX`: how tables show access modes. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return shortModes
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

export function validateBasicQuantity(text: string, path: FieldPath, errors: FieldError[]): void {
  const { value } = Quantity.parse(text);
  if (value < 0n) errors.push(invalid(path, value, 'must be a valid resource quantity'));
}
