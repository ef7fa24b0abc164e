import { badRequestError, type GroupVersionKind, type KubeObject, type Status } from '@tektite/meta';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Who made the request that is reviewed. */
export interface ReviewUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** `admission.k8s.io/v1 AdmissionRequest`, as far as webhooks here use it. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly subResource: string;
  readonly name: string;
  readonly namespace: string;
  readonly operation: AdmissionOperation;
  readonly userInfo: ReviewUser;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly dryRun: boolean;
}

/** `admission.k8s.io/v1 AdmissionResponse` without the uid, which is the request's. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status?: Status;
  readonly warnings?: readonly string[];
  /** A JSON patch, in base64. */
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
}

const versions = new Set(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']);
const operations = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Both versions have the same form; the answer has to be in that of the question. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads a review. Throws a StatusError (400) that names the field at fault. Objects are taken as they are. */
export function readAdmissionReview(body: unknown): AdmissionReview {
  const review = readReviewEnvelope(body, 'AdmissionReview', versions);
  const request = mapAt(review, 'request', 'AdmissionReview');
  const kind = mapAt(request, 'kind', 'AdmissionReview.request');
  const operation = textAt(request, 'operation', 'AdmissionReview.request');
  if (!operations.has(operation))
    throw badRequestError(`AdmissionReview.request.operation: "${operation}" is none of ${[...operations].join(', ')}`);
  return {
    apiVersion: review.apiVersion,
    request: {
      uid: textAt(request, 'uid', 'AdmissionReview.request'),
      kind: {
        group: optionalText(kind, 'group', 'AdmissionReview.request.kind'),
        version: textAt(kind, 'version', 'AdmissionReview.request.kind'),
        kind: textAt(kind, 'kind', 'AdmissionReview.request.kind'),
      },
      subResource: optionalText(request, 'subResource', 'AdmissionReview.request'),
      name: optionalText(request, 'name', 'AdmissionReview.request'),
      namespace: optionalText(request, 'namespace', 'AdmissionReview.request'),
      operation: operation as AdmissionOperation,
      userInfo: (optionalMap(request, 'userInfo') ?? {}) as ReviewUser,
      object: optionalMap(request, 'object') as KubeObject | undefined,
      oldObject: optionalMap(request, 'oldObject') as KubeObject | undefined,
      dryRun: request.dryRun === true,
    },
  };
}

/** The outside of a review: what it says it is. */
export function readReviewEnvelope(
  body: unknown,
  kind: string,
  known: ReadonlySet<string>,
): Json & { readonly apiVersion: string } {
  if (!isMap(body)) throw badRequestError(`the body is no ${kind} but ${describe(body)}`);
  if (body.kind !== kind) throw badRequestError(`the body is no ${kind}: its kind is ${describe(body.kind)}`);
  if (typeof body.apiVersion !== 'string' || !known.has(body.apiVersion))
    throw badRequestError(`${kind} of version ${describe(body.apiVersion)}; known are ${[...known].join(', ')}`);
  return body as Json & { readonly apiVersion: string };
}

export function mapAt(container: Json, field: string, path: string): Json {
  const value = container[field];
  if (!isMap(value)) throw badRequestError(`${path}.${field} must be an object, not ${describe(value)}`);
  return value;
}

export function textAt(container: Json, field: string, path: string): string {
  const value = container[field];
  if (typeof value !== 'string' || value === '')
    throw badRequestError(`${path}.${field} must be a text, not ${describe(value)}`);
  return value;
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function optionalText(container: Json, field: string, path: string): string {
  return container[field] === undefined || container[field] === '' ? '' : textAt(container, field, path);
}

/** Absent and null are the same; what is no object is treated as one that cannot be decoded, later. */
function optionalMap(container: Json, field: string): unknown {
  const value = container[field];
  return value === null ? undefined : value;
}

function describe(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
