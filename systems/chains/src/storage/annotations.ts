import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { PipelineRun, type SignedRun, TaskRun } from '../kinds/runs.ts';
import type { SignedArtifact } from '../signing/sign-artifacts.ts';

export const annotationPrefix = 'chains.tekton.dev/';
export const signedAnnotation = `${annotationPrefix}signed`;
export const retriesAnnotation = `${annotationPrefix}retries`;

const maxRetries = 3;

/** A run that was signed, or given up. */
export function isReconciled({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const value = metadata.annotations?.[signedAnnotation];
  return value === 'true' || value === 'failed';
}

/** The payload and signature of an artifact, as upstream's storage `tekton` keeps them. */
export function artifactAnnotations({ shortKey, payload, signature }: SignedArtifact): Record<string, string> {
  const encode = (content: string | Buffer) => Buffer.from(content as string).toString('base64');
  return {
    [`${annotationPrefix}payload-${shortKey}`]: encode(payload),
    [`${annotationPrefix}signature-${shortKey}`]: encode(signature),
    [`${annotationPrefix}cert-${shortKey}`]: '',
    [`${annotationPrefix}chain-${shortKey}`]: '',
  };
}

/** The annotations of a failed attempt: its number, or after the last one that signing has failed. */
export function failureAnnotations({ metadata }: KubeObject): Record<string, string> {
  const retries = metadata.annotations?.[retriesAnnotation];
  if (retries === undefined || retries === '') return { [retriesAnnotation]: '0' };
  const count = Number(retries);
  if (!Number.isInteger(count) || count >= maxRetries) return { [signedAnnotation]: 'failed' };
  return { [retriesAnnotation]: String(count + 1) };
}

/**
 * Writes annotations of Chains, in one request: a run has all of them or none. Those that it has already stay, because
 * what a manager leaves out of a configuration that it applies is removed.
 */
export async function writeAnnotations(
  client: Client,
  { kind, run }: SignedRun,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const own = Object.entries(run.metadata.annotations ?? {}).filter(([name]) => name.startsWith(annotationPrefix));
  const { name = '', namespace = '' } = run.metadata;
  const metadata = { name, namespace, annotations: { ...Object.fromEntries(own), ...annotations } };
  const options = { fieldManager: 'tekton-chains-controller', force: true };
  if (kind === 'TaskRun') await client.apply(TaskRun, { metadata }, options);
  else await client.apply(PipelineRun, { metadata }, options);
}
