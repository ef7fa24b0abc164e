import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigningKey } from '@tektite/apiserver';
import { issueCertificate, type KeyPair } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { createServerAuthority, issueServerCertificate, type ServerKeys } from './server-keys.ts';
import { UserError } from './user-error.ts';

export interface Keys extends ServerKeys {
  readonly admin: KeyPair;
}

const adminRequest = { commonName: 'tektite-admin', organizations: ['system:masters'] };
const month = 30 * 24 * 60 * 60 * 1000;

/**
 * The keys of a data folder. They are made once, so that kubeconfigs stay good across restarts; the administrator's
 * certificate is renewed when its time runs out.
 */
export async function loadKeys(folder: string, host: string): Promise<Keys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = await loadPair(folder, 'ca', createServerAuthority);
  try {
    const server = await issueServerCertificate(authority, host);
    const admin = await loadPair(
      folder,
      'admin',
      () => issueCertificate(authority, adminRequest, systemClock),
      (pair) => isGood(pair, authority),
    );
    return { authority, server, admin };
  } catch (error) {
    throw damaged(folder, error);
  }
}

/** Signs the tokens of service accounts; made when the first one is asked for. */
export async function loadSigningKey(folder: string): Promise<string> {
  const file = join(folder, 'sa.key');
  if (existsSync(file)) return readFile(file, 'utf8');
  const key = await createSigningKey();
  await writeWhole(file, key, 0o600);
  return key;
}

async function loadPair(
  folder: string,
  name: string,
  make: () => Promise<KeyPair>,
  isUsable: (pair: KeyPair) => boolean = () => true,
): Promise<KeyPair> {
  const certificateFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    const pair = { certificate: await readFile(certificateFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
    if (isUsable(pair)) return pair;
  }
  const pair = await make();
  await writeWhole(keyFile, pair.key, 0o600);
  await writeWhole(certificateFile, pair.certificate, 0o644);
  return pair;
}

/** Whether a certificate is of this authority and still has some time. */
function isGood({ certificate }: KeyPair, authority: KeyPair): boolean {
  const own = new X509Certificate(certificate);
  const issuer = new X509Certificate(authority.certificate);
  return own.verify(issuer.publicKey) && Date.parse(own.validTo) - systemClock.now() > month;
}

/** A crash leaves the whole file or none. */
async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, file);
}

function damaged(folder: string, cause: unknown): UserError {
  return new UserError(
    `the keys in ${folder} cannot be used (${(cause as Error).message}). Put copies from a backup in their place, or remove that folder to make new ones; kubeconfigs written before are worthless then.`,
  );
}
