import { quoteGo, type Status } from '@tektite/meta';
import type { Resource } from '../../registry/resource.ts';
import type { AdmissionRequest } from '../admission.ts';
import { describeRequest } from '../expression/request-variables.ts';
import type { ReviewedObjects } from '../matching/object-versions.ts';
import { readField, readReview } from './review-body.ts';

const group = 'admission.k8s.io';
const versions = ['v1', 'v1beta1'];

/** The request body of a webhook. */
export interface AdmissionReview {
  readonly kind: 'AdmissionReview';
  readonly apiVersion: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string };
}

/** The decision of a webhook. */
export interface WebhookDecision {
  readonly allowed: boolean;
  readonly status?: Partial<Status>;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** A JSON Patch, still text. */
  readonly patch?: string;
  readonly patchType: string;
}

/** The review to send, in the first version that both sides know; `undefined` when there is none. */
export function createReview(
  request: AdmissionRequest,
  resource: Resource,
  objects: ReviewedObjects,
  accepted: readonly string[],
  uid: string,
): AdmissionReview | undefined {
  const version = accepted.find((candidate) => versions.includes(candidate));
  if (version === undefined) return undefined;
  const { dryRun, options, ...rest } = describeRequest(request, resource);
  return {
    kind: 'AdmissionReview',
    apiVersion: `${group}/${version}`,
    request: {
      uid,
      ...rest,
      object: objects.object ?? null,
      oldObject: objects.oldObject ?? null,
      dryRun,
      options,
    },
  };
}

/** An answer that came, but cannot be used. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/**
 * Reads the answer to a review. Throws an {@link InvalidResponseError} for a review that breaks the protocol and another
 * Error for what is no review at all. Version v1beta1 was less strict and still is.
 */
export function readDecision(answer: unknown, review: AdmissionReview, mutating: boolean): WebhookDecision {
  const version = review.apiVersion.slice(group.length + 1);
  const body = readReview(answer, { group, version, kind: 'AdmissionReview', versions });
  const at = { struct: 'AdmissionResponse', path: 'response' };
  const response = readField<Record<string, unknown>>(body, 'response', 'object', {
    struct: 'AdmissionReview',
    path: '',
    goType: `${version}.AdmissionResponse`,
  });
  const { uid, allowed, status, warnings, patch, patchType } = {
    uid: readField<string>(response ?? {}, 'uid', 'string', { ...at, goType: 'types.UID' }),
    allowed: readField<boolean>(response ?? {}, 'allowed', 'boolean', at),
    status: readField<Partial<Status>>(response ?? {}, 'status', 'object', { ...at, goType: 'v1.Status' }),
    warnings: readField<string[]>(response ?? {}, 'warnings', 'strings', at),
    patch: readField<string>(response ?? {}, 'patch', 'string', { ...at, goType: '[]uint8' }),
    patchType: readField<string>(response ?? {}, 'patchType', 'string', { ...at, goType: `${version}.PatchType` }),
  };
  const annotations = readField<Record<string, string>>(response ?? {}, 'auditAnnotations', 'labels', at);
  const text = patch === undefined ? undefined : decodeBase64(patch);
  if (!response) throw new InvalidResponseError('webhook response was absent');
  if (version === 'v1') {
    if ((uid ?? '') !== review.request.uid)
      throw new InvalidResponseError(`expected response.uid=${quoteGo(review.request.uid)}, got ${quoteGo(uid ?? '')}`);
    checkKind(body);
    checkPatch(text, patchType, mutating);
  }
  const hasPatch = mutating && text !== undefined && text !== '';
  return {
    allowed: allowed ?? false,
    ...(status ? { status } : {}),
    warnings: warnings ?? [],
    auditAnnotations: annotations ?? {},
    ...(hasPatch ? { patch: text } : {}),
    patchType: version === 'v1' ? (patchType ?? '') : 'JSONPatch',
  };
}

function checkKind({ apiVersion, kind }: Record<string, unknown>): void {
  const actual =
    typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion : `/${(apiVersion as string) ?? ''}`;
  if (actual === `${group}/v1` && kind === 'AdmissionReview') return;
  throw new InvalidResponseError(
    `expected webhook response of ${group}/v1, Kind=AdmissionReview, got ${actual}, Kind=${(kind as string) ?? ''}`,
  );
}

function checkPatch(patch: string | undefined, patchType: string | undefined, mutating: boolean): void {
  const hasPatch = patch !== undefined && patch !== '';
  if (!mutating) {
    if (hasPatch) throw new InvalidResponseError('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new InvalidResponseError('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && patchType === undefined)
    throw new InvalidResponseError('webhook returned response.patch but not response.patchType');
  if (!hasPatch && patchType !== undefined)
    throw new InvalidResponseError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new InvalidResponseError('webhook returned invalid response.patchType of ""');
}

function decodeBase64(text: string): string {
  const wrong = text.search(/[^A-Za-z0-9+/=\r\n]/);
  if (wrong >= 0) throw new Error(`illegal base64 data at input byte ${wrong}`);
  return Buffer.from(text, 'base64').toString('utf8');
}
