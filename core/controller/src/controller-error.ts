import { type CodedError, defineErrors, type ErrorCode } from '@tektite/meta';

/** Errors of the controller runtime itself. Errors of reconcilers are passed on as they are, as the cause. */
export const controllerErrors = defineErrors('controller', 'ControllerError', {
  INFORMER_STOPPED: {
    when: 'the informer was stopped before the awaited event happened',
    fix: 'nothing during shutdown; otherwise wait before the informer is stopped',
  },
  INDEX_EXISTS: {
    when: 'there is another index of this name',
    fix: 'give the index another name, or share one function',
  },
  INDEX_UNKNOWN: {
    when: 'there is no index of this name',
    fix: 'declare the index where the cache is created',
  },
  TRANSFORM_FAILED: {
    when: 'the transform of a cache threw; the cache keeps the last state for which it did not, if any',
    fix: 'make the transform accept every object that the server may return',
  },
  INDEX_FAILED: {
    when: 'an index function threw; the object is not in that index',
    fix: 'make the index function accept every object of the kind',
  },
  PREDICATE_FAILED: {
    when: 'a predicate threw; the change causes a reconcile',
    fix: 'make the predicate accept every object of the kind',
  },
  RESULT_INVALID: {
    when: 'a reconciler returned something that is no result; the object is retried with backoff',
    fix: 'return nothing, done, requeueAfter(ms) or an error result',
  },
  RECONCILE_TIMEOUT: {
    when: 'a reconcile took too long; its signal was aborted, and its object waits until it returns',
    fix: 'pass the signal to every request, or raise the timeout of the controller',
  },
  RECONCILE_STOPPED: {
    when: 'the controller was stopped while the object was being reconciled',
    fix: 'nothing: the next process reconciles the object again',
  },
  WRITE_FENCED: {
    when: 'a write was denied because the lease of the object is held by another process',
    fix: 'nothing: the new leader reconciles the object',
  },
  KIND_NOT_SERVED: {
    when: 'the server did not accept the definition of a kind',
    fix: 'read the conditions of the CustomResourceDefinition',
  },
  VERSION_NOT_SERVED: {
    when: 'the definition of a kind does not serve the version in which objects are to be stored',
    fix: 'name a version that the message has',
  },
  CONTROLLER_EXISTS: {
    when: 'there is another controller of this name',
    fix: 'give the controller another name',
  },
  SOURCE_UNKNOWN: {
    when: 'a reconciler asked for the cache of a source that its controller does not declare',
    fix: 'add the kind to the sources of the controller',
  },
  WEBHOOK_FAILED: {
    when: 'a webhook threw; the failure policy decides what that means for the request',
    fix: 'read the cause in the log of the webhook',
  },
  WEBHOOK_TIMEOUT: {
    when: 'a webhook did not answer in time; its signal was aborted, and the failure policy decides',
    fix: 'raise timeoutSeconds, or make the webhook do less',
  },
  CERTIFICATE_FAILED: {
    when: 'certificates could not be read or renewed; those in use stay in use, and the renewal is retried',
    fix: 'check that the process may read and write the Secret that the message names',
  },
  REGISTRATION_FAILED: {
    when: 'webhooks could not be written to the API; the registration is retried',
    fix: 'check that the process may write webhook configurations',
  },
  CONFIG_NOT_READY: {
    when: 'a typed ConfigMap was asked for its value before it had one',
    fix: 'wait until the configuration is ready, and watch the ConfigMap',
  },
  CONFIG_INVALID: {
    when: 'a ConfigMap holds values that cannot be used; the last valid ones stay in use',
    fix: 'correct the key that the message names',
  },
  ELECTION_INVALID: {
    when: 'the settings of an election would allow two leaders, or none',
    fix: 'correct the setting that the message names',
  },
  LEASE_LOST: {
    when: 'a lease is not, or no longer, held by this process',
    fix: 'nothing: another replica leads; check the latency of the API server if it recurs',
  },
  HANDLER_FAILED: {
    when: 'a handler of an informer threw; others are not affected',
    fix: 'catch errors in the handler; the cause has the stack',
  },
});

export type ControllerErrorCode = ErrorCode<typeof controllerErrors>;

/** An error of the controller runtime. Recognise it with {@link isControllerError}. */
export const ControllerError = controllerErrors.Error;
export type ControllerError = CodedError<ControllerErrorCode>;

export const isControllerError = controllerErrors.is;
