import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  type ObjectMeta,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@tektite/meta';
import type { AppArmorProfile, PodSpec, SeccompProfile } from '@tektite/schema/kubernetes';
import { goValue } from '../../go-value/go-value.ts';
import { checkDescendingPath } from '../paths.ts';
import { visitContainers } from './visit-containers.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';
const maxPathLength = 4095;

export function validateSeccompProfile(
  profile: SeccompProfile | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!profile) return;
  const { type = '', localhostProfile } = profile;
  if (type === '') errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!profileTypes.includes(type)) errors.push(notSupported(path.child('type'), type, profileTypes));
  const profilePath = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (localhostProfile === undefined)
      errors.push(required(profilePath, 'must be set when seccomp type is Localhost'));
    else checkDescendingPath(localhostProfile, profilePath, errors);
  } else if (localhostProfile !== undefined)
    errors.push(
      invalid(profilePath, goValue('SeccompProfile', profile), 'can only be set when seccomp type is Localhost'),
    );
}

export function validateAppArmorProfile(
  profile: AppArmorProfile | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!profile) return;
  const { type = '', localhostProfile } = profile;
  const profilePath = path.child('localhostProfile');
  if (type === '') errors.push(required(path.child('type'), 'type is required when appArmorProfile is set'));
  else if (!profileTypes.includes(type)) errors.push(notSupported(path.child('type'), type, profileTypes));
  else if (type === 'Localhost') validateLocalhostProfile(localhostProfile, profilePath, errors);
  else if (localhostProfile !== undefined)
    errors.push(invalid(profilePath, localhostProfile, 'can only be set when AppArmor type is Localhost'));
}

function validateLocalhostProfile(profile: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const missing = 'must be set when AppArmor type is Localhost';
  if (profile === undefined) {
    errors.push(required(path, missing));
    return;
  }
  if (profile.trim() !== profile) errors.push(invalid(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(required(path, missing));
  if (utf8Length(profile) > maxPathLength) errors.push(tooLong(path, maxPathLength));
}

/** The annotations that came before the fields. */
export function validateProfileAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [key, profile] of Object.entries(annotations)) {
    if (key === seccompPod || key.startsWith(seccompContainer))
      validateSeccompAnnotation(profile, path.child(key), errors);
  }
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(appArmorContainer)) continue;
    const container = key.slice(appArmorContainer.length);
    if (!hasContainer(spec, container)) errors.push(invalid(path.key(key), container, 'container not found'));
    if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith('localhost/'))
      errors.push(invalid(path.key(key), profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`));
  }
}

function validateSeccompAnnotation(profile: string, path: FieldPath, errors: FieldError[]): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return;
  if (profile.startsWith('localhost/')) checkDescendingPath(profile.slice('localhost/'.length), path, errors);
  else errors.push(invalid(path, profile, 'must be a valid seccomp profile'));
}

function hasContainer(spec: PodSpec, name: string): boolean {
  const lists = [spec.initContainers, spec.containers, spec.ephemeralContainers];
  return lists.some((list) => list?.some((container) => container.name === name));
}

/** Where both an annotation and a field say how a container is confined, they must say the same. */
export function checkProfilesMatch(meta: ObjectMeta, spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const annotations = meta.annotations ?? {};
  const podSeccomp = spec.securityContext?.seccompProfile;
  if (podSeccomp && annotations[seccompPod] !== undefined)
    checkMatch('seccomp', annotations[seccompPod], podSeccomp, path.child('securityContext', 'seccompProfile'), errors);
  visitContainers(spec, path, (container, containerPath) => {
    const annotation = annotations[`${seccompContainer}${container.name}`];
    const profile = container.securityContext?.seccompProfile;
    if (profile && annotation !== undefined)
      checkMatch('seccomp', annotation, profile, containerPath.child('securityContext', 'seccompProfile'), errors);
  });
  if (spec.os?.name === 'windows') return;
  visitContainers(spec, path, (container, containerPath) => {
    const annotation = annotations[`${appArmorContainer}${container.name}`];
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    if (profile && annotation !== undefined)
      checkMatch('apparmor', annotation, profile, containerPath.child('securityContext', 'appArmorProfile'), errors);
  });
}

function checkMatch(
  noun: 'seccomp' | 'apparmor',
  annotation: string,
  profile: SeccompProfile | AppArmorProfile,
  path: FieldPath,
  errors: FieldError[],
): void {
  const wrongType = forbidden(path.child('type'), `${noun} type in annotation and field must match`);
  const defaults = noun === 'seccomp' ? ['runtime/default', 'docker/default'] : ['runtime/default'];
  if (profile.type === 'Unconfined' && annotation !== 'unconfined') errors.push(wrongType);
  else if (profile.type === 'RuntimeDefault' && !defaults.includes(annotation)) errors.push(wrongType);
  else if (profile.type === 'Localhost') {
    if (!annotation.startsWith('localhost/')) errors.push(wrongType);
    else if (annotation.slice('localhost/'.length) !== profile.localhostProfile)
      errors.push(forbidden(path.child('localhostProfile'), `${noun} profile in annotation and field must match`));
  }
}
