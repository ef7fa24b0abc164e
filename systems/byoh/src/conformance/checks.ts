import type { Check } from './check.ts';
import { productChecks } from './product-checks.ts';
import { supportChecks } from './support-checks.ts';
import { waitingChecks } from './waiting-checks.ts';

/** The checks of the contract, in its order. Each makes its own objects. */
export const checks: readonly Check[] = [...waitingChecks, ...productChecks, ...supportChecks].sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
