import { hostname } from 'node:os';
import { type Random, randomUid, systemRandom } from '@tektite/meta';

/** A name for this process that no other has, as those who look at a Lease expect it: the host's name and a uid. */
export function uniqueIdentity(random: Random = systemRandom): string {
  return `${hostname()}_${randomUid(random)}`;
}
