import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, implicit, itemsOf, objectId, octets, sequence, yes } from './der.ts';

/** Extensions of certificates, encoded (RFC 5280, 4.2). */

function extension(id: string, value: Uint8Array, { critical = false } = {}): Buffer {
  return sequence(objectId(id), ...(critical ? [yes] : []), octets(value));
}

/** Whether the owner may sign certificates. */
export function basicConstraints(isAuthority: boolean): Buffer {
  return extension('2.5.29.19', sequence(...(isAuthority ? [yes] : [])), { critical: true });
}

/** The uses of a key, by the number of their bit. */
const keyUses = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const;

export function keyUsage(...uses: readonly (keyof typeof keyUses)[]): Buffer {
  const numbers: readonly number[] = uses.map((use) => keyUses[use]);
  const byte = numbers.reduce((all, number) => all | (0x80 >> number), 0);
  return extension('2.5.29.15', bits(Buffer.of(byte), 7 - Math.max(...numbers)), { critical: true });
}

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

export function extendedKeyUsage(purpose: keyof typeof purposes): Buffer {
  return extension('2.5.29.37', sequence(objectId(purposes[purpose])));
}

/** The names and addresses of a server. */
export function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) => (isIP(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host))));
  return extension('2.5.29.17', sequence(...names));
}

/** `publicKey` as in certificates (SubjectPublicKeyInfo). */
export function subjectKeyId(publicKey: Uint8Array): Buffer {
  return extension('2.5.29.14', octets(keyId(publicKey)));
}

/** Which key the certificate is signed with. */
export function authorityKeyId(publicKey: Uint8Array): Buffer {
  return extension('2.5.29.35', sequence(implicit(0, keyId(publicKey))));
}

/** By custom the hash of the key's bits alone, without what kind of key it is. */
function keyId(publicKey: Uint8Array): Buffer {
  const [, key = Buffer.alloc(0)] = itemsOf(publicKey);
  // A tag, a length of one byte, and the number of unused bits stand before them: keys on P-256 are short.
  return createHash('sha1').update(key.subarray(3)).digest();
}

/** Four bytes, or sixteen. */
function addressBytes(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number));
  const [before = '', after] = host.replace(/%.*$/, '').split('::');
  const [head, tail] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = new Array<number>(Math.max(0, 16 - head.length - tail.length)).fill(0);
  return Buffer.from([...head, ...zeros, ...tail]);
}

function groupsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 0xff];
  });
}
