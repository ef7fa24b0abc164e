import { type FieldError, FieldPath, validateQualifiedName, validateLabels } from '@tektite/meta';
import type { Connector, Workload } from '../kinds/connector.ts';
import { directiveIn } from '../render/directive-in.ts';
import { splitSources } from '../payload/additional-source.ts';

const spec = FieldPath.of('spec');

function wrong(field: FieldPath, message: string): FieldError {
  return { reason: 'FieldValueInvalid', field: field.toString(), message };
}

/** Validates a Connector, given its old state and the available payloads. Pure. */
export function validateConnector(
  connector: Connector,
  old: Connector | undefined,
  components: readonly string[],
): readonly FieldError[] {
  const { spec: given } = connector;
  return [
    ...component(connector, old, components),
    ...('global' in given
      ? [wrong(spec.child('global'), 'there is no such field; write labels, annotations and registry under spec')]
      : []),
    ...reserved(given.labels, 'labels'),
    ...validateLabels(given.labels, spec.child('labels')),
    ...reserved(given.annotations, 'annotations'),
    ...Object.keys(given.annotations ?? {}).flatMap((key) =>
      validateQualifiedName(key.toLowerCase()).map((violation) => wrong(spec.child('annotations').key(key), violation)),
    ),
    ...workloads(given.workloads ?? []),
    ...additionalManifests(given),
  ];
}

function component({ metadata, spec: given }: Connector, old: Connector | undefined, components: readonly string[]) {
  const path = spec.child('component');
  const wanted = given.component ?? metadata.name ?? '';
  if (old && (old.spec.component ?? old.metadata.name) !== wanted)
    return [
      wrong(path, `cannot be changed (it is "${old.spec.component ?? old.metadata.name}"); make another Connector`),
    ];
  // One that was there before may lose its payload; it has to stay possible to change or delete it.
  if (old || components.includes(wanted)) return [];
  return [wrong(path, `no payload "${wanted}" in this operator (have: ${components.join(', ') || 'none'})`)];
}

function reserved(entries: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  const own = Object.keys(entries ?? {}).filter((key) => /(^|\.)(cpaas\.io|kubernetes\.io|k8s\.io)\//.test(key));
  return own.map((key) => wrong(spec.child(field).key(key), 'cpaas.io, kubernetes.io and k8s.io keys are reserved'));
}

function workloads(given: readonly Workload[]): FieldError[] {
  const seen = new Set<string>();
  return given.flatMap((workload, index) => {
    const path = spec.child('workloads').index(index);
    const key = `${workload.kind}/${workload.name}`;
    const twice = seen.has(key);
    seen.add(key);
    return [
      ...(workload.name === '' ? [wrong(path.child('name'), 'name a Deployment or StatefulSet')] : []),
      ...(twice ? [wrong(path, `"${workload.name}" is there twice; write both changes into one entry`)] : []),
      ...template(workload.template, path.child('template')),
    ];
  });
}

function template(given: Workload['template'], path: FieldPath): FieldError[] {
  const directive = directiveIn(given);
  if (directive) return [wrong(path, `${directive} is not possible here; null removes a field`)];
  const podSpec = (given as { readonly spec?: unknown } | undefined)?.spec;
  if (podSpec === undefined || podSpec === null) return [];
  if (typeof podSpec !== 'object') return [wrong(path.child('spec'), 'must be a mapping')];
  return ['containers', 'initContainers'].flatMap((list) => containers(podSpec, list, path.child('spec', list)));
}

function containers(podSpec: object, list: string, path: FieldPath): FieldError[] {
  const given = (podSpec as Readonly<Record<string, unknown>>)[list];
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) return [wrong(path, 'must be a list')];
  return given.flatMap((container: unknown, index) => {
    const { name } = (container ?? {}) as { readonly name?: unknown };
    return typeof name === 'string' && name !== ''
      ? []
      : [wrong(path.index(index).child('name'), 'say which container is meant')];
  });
}

function additionalManifests({ additionalManifests: text, additionalManifestsSHA256: digest }: Connector['spec']) {
  const path = spec.child('additionalManifests');
  if (text === undefined || text === '')
    return digest ? [wrong(spec.child('additionalManifestsSHA256'), 'there are no additionalManifests')] : [];
  return splitSources(text).flatMap((source) => ('problem' in source ? [wrong(path, source.problem)] : []));
}
