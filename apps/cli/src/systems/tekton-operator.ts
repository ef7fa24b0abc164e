import type { System } from '@tektite/controller';
import { objectPayload, tektonOperatorSystem } from '@tektite/tekton-operator';
import { ownProgram } from '../release/own-program.ts';
import { pipelinesRelease } from '../release/pipelines-release.ts';
import { version } from '../version.ts';

/** The Tekton Operator. Without a payload of its own, Pipelines is this same program. */
export const tektonOperator: System = tektonOperatorSystem({
  version: process.env.VERSION || `v${version}`,
  payloads: [objectPayload([pipelinesRelease(() => ownProgram())])],
});
