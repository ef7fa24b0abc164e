import {
  disallowedField,
  type FieldErrors,
  genericError,
  invalidValue,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { decodeStruct, isDecodeError } from '@tektite/go';
import type { Container, EnvVar, PodSpec } from '@tektite/schema/kubernetes';
import { go } from '@tektite/schema/struct';
import type { KubernetesResource } from '../kinds/event-listener.ts';

const podFields = ['serviceAccountName', 'containers', 'tolerations', 'nodeSelector'];
const podFieldsV1beta1 = ['affinity', 'topologySpreadConstraints', 'imagePullSecrets', 'securityContext'];
const containerFields = ['resources', 'env'];
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];
/** With one of these variables, the other is needed. */
const tlsVariables = ['TLS_CERT', 'TLS_KEY'];

/** The Pod of upstream's listener, of which a user may set few fields. */
export function validateKubernetesResource(resource: KubernetesResource, version: string): FieldErrors {
  const { replicas = 0, serviceType, serviceLoadBalancerClass, spec } = resource;
  const hasUselessClass = serviceLoadBalancerClass !== undefined && serviceType !== 'LoadBalancer';
  const note = 'ServiceLoadBalancerClass is only needed for LoadBalancer service type';
  return noFieldErrors
    .also(replicas < 0 ? invalidValue(replicas, 'spec.replicas') : undefined)
    .also(validatePod(spec?.template?.spec, [...containerFields, ...probes], version))
    .also(hasUselessClass ? invalidValue(serviceLoadBalancerClass, 'serviceLoadBalancerClass', note) : undefined);
}

const withPod = go.struct('WithPod', {
  spec: go.struct('v1.WithPodSpec', { template: go.builtin('core/v1.PodTemplateSpec').named('v1.PodSpecable') }),
});

/** Any object that has a Pod template where a Deployment has it. */
export function validateCustomResource(resource: unknown, version: string): FieldErrors {
  try {
    const decoded = decodeStruct(withPod.definitionIn('v1'), resource, { strict: false });
    const { template } =
      (decoded as { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } }).spec ?? {};
    return validatePod(template?.spec, containerFields, version);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return invalidValue(error.message, 'spec');
  }
}

function validatePod(pod: PodSpec | undefined, inContainer: readonly string[], version: string): FieldErrors {
  if (!pod) return noFieldErrors;
  const isNew = version !== 'v1alpha1';
  const containers = pod.containers ?? [];
  const at = 'spec.template.spec';
  const errors = noFieldErrors
    .also(containers.length > 1 ? multipleOneOf('containers').viaField(at) : undefined)
    .also(allowOnly(pod, isNew ? [...podFields, ...podFieldsV1beta1] : podFields).viaField(at));
  const [container] = containers;
  if (!container || containers.length > 1) return errors;
  const allowed = isNew ? [...inContainer, 'securityContext'] : inContainer;
  return errors
    .also(allowOnly<Container>(container, allowed).viaField(`${at}.containers[0]`))
    .also(validateEnvironment(container.env ?? []).viaField(`${at}.containers[0].env`));
}

function validateEnvironment(variables: readonly EnvVar[]): FieldErrors {
  const reserved = variables.filter(({ name }) => tlsVariables.includes(name));
  return noFieldErrors
    .also(...variables.map((variable, index) => validateVariable(variable).viaIndex(index)))
    .also(
      reserved.length === 1
        ? genericError(`Expected env's are TLS_CERT and TLS_KEY, but got only one env ${reserved[0]?.name}`)
        : undefined,
    );
}

function validateVariable(variable: EnvVar): FieldErrors {
  const { valueFrom } = variable;
  return allowOnly(variable, ['name', 'valueFrom']).also(
    valueFrom && allowOnly(valueFrom, ['secretKeyRef']).viaField('valueFrom'),
  );
}

function allowOnly<T extends object>(value: T, allowed: readonly string[]): FieldErrors {
  const others = Object.entries(value).filter(([field, each]) => !allowed.includes(field) && isSet(each));
  return others.length === 0 ? noFieldErrors : disallowedField(...others.map(([field]) => field));
}

/** Zero values of Go are not set; containers always print their name. */
function isSet(value: unknown): boolean {
  return !(value === undefined || value === null || value === '' || value === false || value === 0);
}
