/** The type of the records that say where a log is. */
export const logType = 'results.tekton.dev/v1alpha3.Log';
const oldLogType = 'results.tekton.dev/v1alpha2.Log';

export const isLogType = (type: string): boolean => type === logType || type === oldLogType;

/** The object in such a record, with upstream's fields. */
export interface LogObject {
  readonly kind: 'Log';
  readonly apiVersion: 'results.tekton.dev/v1alpha3';
  readonly metadata: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
  readonly spec: {
    readonly resource: {
      readonly kind?: string;
      readonly namespace: string;
      readonly name: string;
      readonly uid?: string;
    };
    readonly type: string;
  };
  readonly status: LogStatus;
}

interface LogStatus {
  readonly path?: string;
  readonly size: number;
  readonly isStored: boolean;
  readonly errorOnStoreMsg: string;
  readonly isRetryableErr: boolean;
}

/** Fills in what a Log always has. */
export function logObject(json: unknown): LogObject {
  const given = (typeof json === 'object' && json !== null ? json : {}) as Partial<LogObject>;
  const { metadata = {}, spec, status } = given;
  return {
    kind: 'Log',
    apiVersion: 'results.tekton.dev/v1alpha3',
    metadata,
    spec: { resource: spec?.resource ?? { namespace: '', name: '' }, type: spec?.type || 'File' },
    status: { size: 0, isStored: false, errorOnStoreMsg: '', isRetryableErr: false, ...status },
  };
}

export function logData(log: LogObject): Buffer {
  return Buffer.from(JSON.stringify(log));
}
