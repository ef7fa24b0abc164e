import { badRequestError, type FieldError, invalid, notSupported } from '@tektite/meta';
import { checkDryRun, invalidOptionsError, parseBoolean, parseInteger } from './options.ts';

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

/** `metav1.DeleteOptions`. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
  readonly dryRun: boolean;
  readonly wire: Readonly<Record<string, unknown>>;
}

const policies = ['Foreground', 'Background', 'Orphan'];

/** Reads the options of a delete: from the body when there is one, else from the query. */
export function parseDeleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const wire: Record<string, unknown> = body === undefined ? fromQuery(query) : { ...(body as object) };
  const errors: FieldError[] = [];
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, dryRun, preconditions } = wire;
  if (propagationPolicy !== undefined && propagationPolicy !== null) {
    if (!policies.includes(propagationPolicy as string))
      errors.push(notSupported('propagationPolicy', propagationPolicy, [...policies, 'nil']));
    if (orphanDependents !== undefined && orphanDependents !== null) {
      errors.push(
        invalid('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'),
      );
    }
  }
  if (dryRun !== undefined && !Array.isArray(dryRun))
    throw badRequestError('json: cannot unmarshal into Go struct field DeleteOptions.dryRun of type []string');
  errors.push(...checkDryRun((dryRun as string[] | undefined) ?? []));
  if (errors.length > 0) throw invalidOptionsError('DeleteOptions', errors);
  const { uid, resourceVersion } = (preconditions ?? {}) as { uid?: string; resourceVersion?: string };
  return {
    ...(typeof gracePeriodSeconds === 'number' || typeof gracePeriodSeconds === 'bigint'
      ? { gracePeriodSeconds: Number(gracePeriodSeconds) }
      : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy: propagationPolicy as PropagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    dryRun: ((dryRun as string[] | undefined) ?? []).length > 0,
    wire: { ...wire, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  };
}

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const grace = parseInteger(query, 'gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  const policy = query.get('propagationPolicy');
  const dryRun = query.getAll('dryRun');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphan === null ? {} : { orphanDependents: parseBoolean(orphan) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}
