import {
  type Clock,
  formatMicroTime,
  type KubeObject,
  type Random,
  randomUid,
  type Status,
  parseJson,
} from '@tektite/meta';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { ApiResponse, InitialEvents, WatchEvent, WatchReader } from '../request/api-response.ts';
import { objectOf } from '../request/stored-answer.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { AuditDecision, AuditLevel, AuditPolicy, AuditStage } from './audit-policy.ts';

/** An `audit.k8s.io/v1 Event`. */
export type AuditEvent = Readonly<Record<string, unknown>>;

/** Receives audit events. Must not throw, and not wait for a disk or a network. */
export type AuditBackend = (event: AuditEvent) => void;

/** Adds an annotation to the audit event of a request; those of level `Request` are left out of events with only metadata. */
export type Annotate = (key: string, value: string, level?: 'Metadata' | 'Request') => void;

export interface AuditorParts {
  readonly policy: AuditPolicy;
  readonly backend: AuditBackend;
  readonly clock: Clock;
  readonly random: Random;
}

/** Who sends a request, and what it was found to be allowed. */
export interface Authorized {
  readonly info: RequestInfo;
  readonly user: UserInfo;
  /** The authenticated user, where `user` is an impersonated one. */
  readonly authenticated: UserInfo;
  readonly allowed: boolean;
  readonly reason: string;
}

/** Records requests as the audit policy says: who did what, when, and with which result. */
export class Auditor {
  private readonly parts: AuditorParts;

  constructor(parts: AuditorParts) {
    this.parts = parts;
  }

  /** Begins the record of a request. The client may name it by an `Audit-ID` header. */
  begin(request: ApiRequest): AuditedRequest {
    return new AuditedRequest(this.parts, request);
  }
}

/** The record of one request. */
export class AuditedRequest {
  readonly id: string;
  private readonly parts: AuditorParts;
  private readonly request: ApiRequest;
  private readonly received: string;
  private who: Authorized | undefined;
  private decision: AuditDecision | undefined;
  private readonly recorded = new Set<AuditStage>();
  private readonly annotations: Record<string, string> = {};
  /** The first value of a key stays. */
  readonly annotate: Annotate = (key, value, level = 'Metadata') => {
    if (level === 'Request' && this.decision?.level === 'Metadata') return;
    if (!Object.hasOwn(this.annotations, key)) this.annotations[key] = value;
  };

  constructor(parts: AuditorParts, request: ApiRequest) {
    this.parts = parts;
    this.request = request;
    this.id = request.headers['audit-id'] ?? randomUid(parts.random);
    this.received = formatMicroTime(parts.clock.now());
  }

  /** Called once the user is known and authorization has decided; before that, nothing is recorded. */
  authorized(who: Authorized): void {
    this.who = who;
    this.decision = this.parts.policy.decide(who.authenticated, who.info);
    this.record('RequestReceived');
  }

  /** Records a request whose credentials are not accepted: upstream reports its answer as a start, and by which means it tried. */
  unauthenticated(info: RequestInfo): void {
    this.decision = this.parts.policy.decide(undefined, info);
    const { level, omitStages } = this.decision;
    if (level === 'None' || omitStages.has('ResponseStarted')) return;
    const responseStatus = { metadata: {}, message: attemptOf(this.request), code: 401 };
    this.parts.backend({ ...this.head('ResponseStarted', level, info, undefined), responseStatus, ...this.times() });
  }

  /** Records the answer; for one that goes on, its start now and its end later. */
  answered(response: ApiResponse): ApiResponse {
    if (!this.decision || this.decision.level === 'None') return response;
    if (response.type === 'watch') {
      this.record('ResponseStarted', response);
      const { source } = response;
      const end = () => this.record('ResponseComplete', response);
      return {
        ...response,
        source: {
          start: (reader) => source.start(new EndingReader(reader, end)),
          stop() {
            source.stop();
            end();
          },
        },
      };
    }
    if (response.type === 'upgrade') {
      this.record('ResponseStarted', response);
      const { connect } = response;
      return {
        ...response,
        connect: (channels) => connect(channels).finally(() => this.record('ResponseComplete', response)),
      };
    }
    this.record('ResponseComplete', response);
    return response;
  }

  private record(stage: AuditStage, response?: ApiResponse): void {
    const { who, decision } = this;
    if (!who || !decision || decision.level === 'None' || decision.omitStages.has(stage)) return;
    if (this.recorded.has(stage)) return;
    this.recorded.add(stage);
    const isDone = stage !== 'RequestReceived';
    this.parts.backend({
      ...this.head(stage, decision.level, who.info, who, response),
      ...(response ? { responseStatus: statusOf(response) } : {}),
      ...(isDone ? this.bodies(decision, response) : {}),
      ...this.times(),
      ...(isDone
        ? {
            annotations: {
              ...this.annotations,
              'authorization.k8s.io/decision': who.allowed ? 'allow' : 'forbid',
              'authorization.k8s.io/reason': who.reason,
            },
          }
        : {}),
    });
  }

  private head(
    stage: AuditStage,
    level: AuditLevel,
    info: RequestInfo,
    who: Authorized | undefined,
    response?: ApiResponse,
  ): object {
    const { request } = this;
    const query = request.query.toString();
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level,
      auditID: this.id,
      stage,
      requestURI: query === '' ? request.path : `${request.path}?${query}`,
      verb: info.verb,
      user: who ? userOf(who.authenticated) : {},
      ...(!who || who.user === who.authenticated ? {} : { impersonatedUser: userOf(who.user) }),
      sourceIPs: [request.remoteAddress ?? '127.0.0.1'],
      ...(request.headers['user-agent'] ? { userAgent: request.headers['user-agent'] } : {}),
      ...(info.isResourceRequest ? { objectRef: objectRefOf(info, response) } : {}),
    };
  }

  private times(): object {
    return { requestReceivedTimestamp: this.received, stageTimestamp: formatMicroTime(this.parts.clock.now()) };
  }

  private bodies({ level, omitManagedFields }: AuditDecision, response: ApiResponse | undefined): object {
    if (level === 'Metadata' || !this.who?.info.isResourceRequest) return {};
    const shown = (object: unknown) => (omitManagedFields ? withoutManagedFields(object) : object);
    const requestObject = bodyOf(this.request);
    const responseObject = level === 'RequestResponse' && response ? objectOf(response) : undefined;
    return {
      ...(requestObject === undefined ? {} : { requestObject: shown(requestObject) }),
      ...(responseObject === undefined ? {} : { responseObject: shown(responseObject) }),
    };
  }
}

/** Passes events on and reports the end of a watch. */
class EndingReader implements WatchReader {
  private readonly inner: WatchReader;
  private readonly onEnd: () => void;

  constructor(inner: WatchReader, onEnd: () => void) {
    this.inner = inner;
    this.onEnd = onEnd;
  }

  begin(initial: InitialEvents): void {
    this.inner.begin(initial);
  }

  push(event: WatchEvent): void {
    this.inner.push(event);
  }

  end(): void {
    this.inner.end();
    this.onEnd();
  }
}

/** The credentials of a request, in upstream's words. */
function attemptOf({ headers, query, clientCertificate, badClientCertificate }: ApiRequest): string {
  const [scheme = '', credential] = (headers.authorization ?? '').trim().split(' ');
  const attempted = [
    ...(credential !== undefined && /^(basic|bearer)$/i.test(scheme) ? [scheme.toLowerCase()] : []),
    ...(query.get('access_token')?.trim() ? ['access_token'] : []),
    ...(clientCertificate || badClientCertificate ? ['x509'] : []),
  ];
  if (attempted.length === 0) return 'Authentication failed, no credentials provided';
  return `Authentication failed, attempted: ${attempted.join(', ')}`;
}

function userOf({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra ? { extra } : {}),
  };
}

function objectRefOf(info: RequestInfo, response: ApiResponse | undefined): object {
  const { resource, namespace, name, group, version, subresource } = info;
  const { metadata } = (response && response.code < 300 ? headOf(response) : {}) as Partial<KubeObject>;
  const named = name || (info.verb === 'create' ? (metadata?.name ?? '') : '');
  return {
    resource,
    ...(namespace === '' ? {} : { namespace }),
    ...(named === '' ? {} : { name: named }),
    ...(metadata?.uid ? { uid: metadata.uid } : {}),
    ...(group === '' ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(metadata?.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
    ...(subresource === '' ? {} : { subresource }),
  };
}

/** An answer with its metadata. The objects of a list are not asked for. */
function headOf(response: ApiResponse): unknown {
  return response.type === 'storedList' ? response.list : (objectOf(response) ?? {});
}

function statusOf(response: ApiResponse): object {
  const { code } = response;
  if (code < 400 || response.type !== 'object') return { metadata: {}, code };
  const { status, message, reason } = response.object as Status;
  return { metadata: {}, status, message, reason, code };
}

/** The body as it was sent, where it is JSON. */
function bodyOf({ body }: ApiRequest): unknown {
  if (body === undefined || !(body instanceof Uint8Array)) return body;
  try {
    return parseJson(Buffer.from(body).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function withoutManagedFields(object: unknown): unknown {
  const { metadata, items, ...rest } = (object ?? {}) as Record<string, unknown>;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object;
  const { managedFields: _, ...kept } = (metadata ?? {}) as Record<string, unknown>;
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: kept }),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
  };
}
