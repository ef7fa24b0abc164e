import type { SignedRun } from '../kinds/runs.ts';
import type { StatementOptions } from './options.ts';
import { slsaV02 } from './slsa-v0-2.ts';
import { slsaV1 } from './slsa-v1.ts';
import type { Statement } from './statement.ts';

/** The statement about a completed run, in one of the formats that `chains-config` names. */
export function createStatement(signed: SignedRun, format: string, options: StatementOptions): Statement {
  return format === 'slsa/v2alpha3' || format === 'slsa/v2alpha4'
    ? slsaV1(signed, format, options)
    : slsaV02(signed, options);
}
