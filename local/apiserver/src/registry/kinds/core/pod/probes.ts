import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateHttpHeaderName,
  notSupported,
  required,
} from '@tektite/meta';
import type {
  Container,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  PodSpec,
  Probe,
} from '@tektite/schema/kubernetes';
import { checkNonNegative, checkPortNumberOrName, checkSupported } from '../../field-checks.ts';
import { linuxSignals, windowsSignals } from './stop-signals.ts';

type Handler = LifecycleHandler & { readonly grpc?: GRPCAction };

/** The probes of a container that may have them: a regular one, or one that restarts always. */
export function validateProbes(container: Container, path: FieldPath, errors: FieldError[]): void {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe) validateOnceSuccessful(livenessProbe, path.child('livenessProbe'), errors);
  if (readinessProbe) {
    const probePath = path.child('readinessProbe');
    validateProbe(readinessProbe, probePath, errors);
    const grace = readinessProbe.terminationGracePeriodSeconds;
    if (grace !== undefined)
      errors.push(
        invalid(probePath.child('terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes'),
      );
  }
  if (startupProbe) validateOnceSuccessful(startupProbe, path.child('startupProbe'), errors);
}

function validateOnceSuccessful(probe: Probe, path: FieldPath, errors: FieldError[]): void {
  validateProbe(probe, path, errors);
  if (probe.successThreshold !== 1)
    errors.push(invalid(path.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1'));
}

function validateProbe(probe: Probe, path: FieldPath, errors: FieldError[]): void {
  validateHandler(probe, undefined, path, errors);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const)
    checkNonNegative(probe[field], path.child(field), errors);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
}

export function validateLifecycle(lifecycle: Lifecycle, spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const grace = spec.terminationGracePeriodSeconds;
  if (lifecycle.postStart) validateHandler(lifecycle.postStart, grace, path.child('postStart'), errors);
  if (lifecycle.preStop) validateHandler(lifecycle.preStop, grace, path.child('preStop'), errors);
  if (lifecycle.stopSignal !== undefined)
    validateStopSignal(lifecycle.stopSignal, spec.os?.name, path.child('stopSignal'), errors);
}

function validateStopSignal(signal: string, os: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (os === undefined) errors.push(forbidden(path, 'may not be set for containers with empty `spec.os.name`'));
  else if (os === 'windows') checkSupported(signal, windowsSignals, path, errors);
  else if (os === 'linux') checkSupported(signal, linuxSignals, path, errors);
}

/** Exactly one kind of handler; the first is checked, each further one is one too many. */
function validateHandler(
  handler: Handler,
  gracePeriod: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const checks: [string, unknown, (path: FieldPath) => void][] = [
    ['exec', exec, (at) => exec?.command?.length || errors.push(required(at.child('command')))],
    ['httpGet', httpGet, (at) => httpGet && validateHttpGet(httpGet, at, errors)],
    ['tcpSocket', tcpSocket, (at) => tcpSocket && checkPortNumberOrName(tcpSocket.port ?? 0, at.child('port'), errors)],
    ['grpc', grpc, (at) => grpc && checkPortNumberOrName(grpc.port ?? 0, at.child('port'), errors)],
    ['sleep', sleep, (at) => sleep && validateSleep(sleep.seconds ?? 0, gracePeriod, at, errors)],
  ];
  let handlers = 0;
  for (const [name, action, check] of checks) {
    if (!action) continue;
    if (handlers++ > 0) errors.push(forbidden(path.child(name), 'may not specify more than 1 handler type'));
    else check(path.child(name));
  }
  if (handlers === 0) errors.push(required(path, 'must specify a handler type'));
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath, errors: FieldError[]): void {
  if (!action.path) errors.push(required(path.child('path')));
  checkPortNumberOrName(action.port ?? 0, path.child('port'), errors);
  const scheme = action.scheme ?? '';
  if (scheme !== 'HTTP' && scheme !== 'HTTPS')
    errors.push(notSupported(path.child('scheme'), scheme, ['HTTP', 'HTTPS']));
  for (const { name = '' } of action.httpHeaders ?? [])
    for (const violation of validateHttpHeaderName(name))
      errors.push(invalid(path.child('httpHeaders'), name, violation));
}

function validateSleep(seconds: number, gracePeriod: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  errors.push(invalid(path, seconds, detail));
}
