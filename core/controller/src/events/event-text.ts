import type { KubeObject } from '@tektite/meta';

/** The text of an Event. */
export interface EventText {
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  /** One word for programs: `ScalingUp`. */
  readonly reason: string;
  /** A sentence for people. Cut after 1024 bytes, which is what the API takes. */
  readonly message: string;
  /** The action; only events.k8s.io/v1 has it. Default the reason. */
  readonly action?: string;
  /** Another object that has to do with it. */
  readonly related?: KubeObject;
}

/** A reference to an object, as Events have it. */
export interface EventReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export function eventReference({
  apiVersion,
  kind,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): EventReference {
  const { namespace, name = '', uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

const maxMessageLength = 1024;

/** At most as many bytes as the API takes, never half a character. */
export function cutMessage(message: string): string {
  if (Buffer.byteLength(message) <= maxMessageLength) return message;
  const cut = Buffer.from(message)
    .subarray(0, maxMessageLength - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${cut}...`;
}
