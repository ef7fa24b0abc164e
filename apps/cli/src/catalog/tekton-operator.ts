import type { System } from '@tektite/controller';
import {
  objectPayload,
  type TektonOperatorOptions,
  tektonOperatorSystem,
  type TknProgram,
} from '@tektite/tekton-operator';
import { chainsRelease } from '../release/chains-release.ts';
import { ownProgram } from '../release/own-program.ts';
import { pipelinesRelease } from '../release/pipelines-release.ts';
import { prunerRelease } from '../release/pruner-release.ts';
import { resultsRelease } from '../release/results-release.ts';
import { triggersRelease } from '../release/triggers-release.ts';
import { version } from '../version.ts';

/** This program does what pruning Jobs ask of tkn. */
function ownTkn(): TknProgram {
  const { image, command, folders } = ownProgram();
  return { image, program: [...command, 'tkn'].join(' '), folders };
}

/** The options used here. Without a configured payload, Pipelines, Triggers, Chains, Results and the pruner are this same program. */
export const operatorOptions: TektonOperatorOptions = {
  version: process.env.VERSION || `v${version}`,
  tkn: ownTkn(),
  payloads: [
    objectPayload(
      [pipelinesRelease, triggersRelease, chainsRelease, resultsRelease, prunerRelease].map((made) => made(ownProgram)),
    ),
  ],
};

/** The Tekton Operator. */
export const tektonOperator: System = tektonOperatorSystem(operatorOptions);
