import { type FieldPath, Quantity, quoteGo } from '@tektite/meta';
import type { PersistentVolumeClaimSpec } from '@tektite/schema/kubernetes';

/** Advice about what a claim asks for. */
export function claimSpecWarnings(spec: PersistentVolumeClaimSpec | undefined, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const part of ['requests', 'limits'] as const) {
    const text = spec?.resources?.[part]?.storage;
    if (text === undefined || Quantity.parse(text).milliValue % 1000n === 0n) continue;
    const at = path.child('resources', part).key('storage');
    warnings.push(`${at}: fractional byte value ${quoteGo(text)} is invalid, must be an integer`);
  }
  return warnings;
}
