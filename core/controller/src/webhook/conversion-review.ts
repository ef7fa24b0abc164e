import { badRequestError, type Status } from '@tektite/meta';
import { mapAt, readReviewEnvelope, textAt } from './admission-review.ts';

const versions = new Set(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1']);

export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  /** Any values; each has yet to prove that it is an object. */
  readonly objects: readonly unknown[];
}

/** `apiextensions.k8s.io/v1 ConversionResponse` without the uid, which is the request's. */
export interface ConversionResponse {
  readonly convertedObjects: readonly unknown[];
  readonly result: Partial<Status>;
}

export interface ConversionReview {
  readonly apiVersion: string;
  readonly request: ConversionRequest;
}

/** Reads a review. Throws a StatusError (400) that names the field at fault. */
export function readConversionReview(body: unknown): ConversionReview {
  const review = readReviewEnvelope(body, 'ConversionReview', versions);
  const request = mapAt(review, 'request', 'ConversionReview');
  const { objects } = request;
  if (!Array.isArray(objects)) throw badRequestError('ConversionReview.request.objects must be a list');
  return {
    apiVersion: review.apiVersion,
    request: {
      uid: textAt(request, 'uid', 'ConversionReview.request'),
      desiredAPIVersion: textAt(request, 'desiredAPIVersion', 'ConversionReview.request'),
      objects: objects as readonly unknown[],
    },
  };
}
