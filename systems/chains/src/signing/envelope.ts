import type { KeyObject } from 'node:crypto';
import { isSignedBy, keyIdOf, signBytes, type SigningKey } from './signing-key.ts';

/** A signed payload, by the specification of DSSE. */
export interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

export const statementType = 'application/vnd.in-toto+json';

/** Signs a statement. The signature covers the type of the payload, too. */
export function signEnvelope(payload: string, key: SigningKey): Envelope {
  const bytes = Buffer.from(payload);
  const sig = signBytes(preAuthentication(statementType, bytes), key).toString('base64');
  return { payloadType: statementType, payload: bytes.toString('base64'), signatures: [{ keyid: key.keyId, sig }] };
}

/** The payload of an envelope that this key has signed; `undefined` for any other. */
export function openEnvelope(envelope: Envelope, publicKey: KeyObject): Buffer | undefined {
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = preAuthentication(envelope.payloadType, payload);
  const keyId = keyIdOf(publicKey);
  const isSigned = envelope.signatures.some(
    ({ keyid, sig }) => (keyid === '' || keyid === keyId) && isSignedBy(signed, Buffer.from(sig, 'base64'), publicKey),
  );
  return isSigned ? payload : undefined;
}

/** The signed bytes: no payload of one type can be taken for one of another. */
function preAuthentication(type: string, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);
}
