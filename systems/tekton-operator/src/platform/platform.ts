/** Where the operator runs. OpenShift brings security constraints, routes and a console; Kubernetes none of them. */
export type Platform = 'kubernetes' | 'openshift';

/** `PLATFORM=openshift`; everything else is Kubernetes. */
export function platformOf(environment: Readonly<Record<string, string | undefined>>): Platform {
  return environment.PLATFORM === 'openshift' ? 'openshift' : 'kubernetes';
}
