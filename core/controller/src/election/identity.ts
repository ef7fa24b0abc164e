import { hostname } from 'node:os';
import { type Random, randomUid, systemRandom } from '@tektite/meta';

/** A unique name for this process, in the usual form of a Lease's holder: the host's name and a uid. */
export function uniqueIdentity(random: Random = systemRandom): string {
  return `${hostname()}_${randomUid(random)}`;
}
