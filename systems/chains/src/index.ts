/** Tekton Chains: signed provenance of completed runs. */
export { type ChainsOptions, chainsSystem, chainsVersion } from './system.ts';
export { type ChainsConfig, parseChainsConfig } from './config/chains-config.ts';
export { isCompleted, PipelineRun, type SignedRun, TaskRun } from './kinds/runs.ts';
export { type Envelope, openEnvelope } from './signing/envelope.ts';
export { createStatement } from './statement/create-statement.ts';
export { printStatement, type Statement } from './statement/statement.ts';
export { parseImageDigest } from './artifacts/image-digest.ts';
export { attestationOf, attestationsOfImage, checkAttestation, type FoundAttestation } from './verify.ts';
