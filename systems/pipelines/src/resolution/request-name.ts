import { goJson } from '@tektite/go';
import type { ResolutionRequestSpec } from '../kinds/resolution-request.ts';

const maxLength = 63;
const mask = (1n << 128n) - 1n;
const offset = 0x6c62272e07bb014262b821756295c58dn;
const prime = 0x1000000000000000000013bn;

/** FNV-1a in 128 bits, in hexadecimal digits. */
function fnv128a(text: string): string {
  let hash = offset;
  for (const byte of Buffer.from(text, 'utf8')) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash.toString(16).padStart(32, '0');
}

/**
 * The name of the ResolutionRequest of a run for a reference. Equal references of the same run have the same name, so
 * that there is one request for them; the order of parameters does not matter.
 *
 * @example resolutionRequestName('git', { namespace: 'ns', name: 'run' }, { params: [{ name: 'url', value: '...' }] });
 * // git-2f8c...
 */
export function resolutionRequestName(
  resolver: string,
  owner: { readonly namespace: string; readonly name: string },
  { params = [], url = '' }: ResolutionRequestSpec,
): string {
  const sorted = params.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const said = sorted.map(({ name, value }) => name + (typeof value === 'string' ? value : goJson(value)));
  const hash = fnv128a(`${owner.namespace}/${owner.name}${said.join('')}${url}`);
  return `${resolver.slice(0, maxLength - hash.length - 1)}-${hash}`;
}
