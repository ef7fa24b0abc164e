import { defineKind, type Kind, type KindObject, type KindOptions, type Schema } from '@tektite/schema';
import { group, version } from '../wire-names.ts';

/** By the first one Cluster API finds out which version of its contract a kind follows. */
const definitionLabels = {
  'cluster.x-k8s.io/v1beta1': 'v1beta1',
  'cluster.x-k8s.io/provider': 'infrastructure-byoh',
};

type Fields = Readonly<Record<string, Schema<unknown, boolean>>>;

/** A kind of this system: group, version and the labels of its definition are always the same. */
export function byohKind<const F extends Fields>(
  options: Omit<KindOptions<F>, 'group' | 'version' | 'definitionLabels'>,
): Kind<KindObject<F>> {
  return defineKind({ group, version, definitionLabels, ...options });
}
