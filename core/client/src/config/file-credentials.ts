import { readFile } from 'node:fs/promises';
import type { Clock } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import { bearer, type CredentialMaterial, type Credentials } from './credentials.ts';

/** How long what a file said is believed. Service-account tokens rotate well before they end, so a minute is early enough. */
const rereadMilliseconds = 60_000;

export interface CredentialFiles {
  readonly tokenFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
  /** Credentials that do not come from a file. */
  readonly rest?: CredentialMaterial;
}

/** Credentials in files that another component rotates: read again every minute, and when the server rejects them. */
export class FileCredentials implements Credentials {
  private readonly files: CredentialFiles;
  private readonly clock: Clock;
  private cached: { material: CredentialMaterial; until: number } | undefined;

  constructor(files: CredentialFiles, clock: Clock) {
    this.files = files;
    this.clock = clock;
  }

  async current(): Promise<CredentialMaterial> {
    const now = this.clock.monotonic();
    if (this.cached && now < this.cached.until) return this.cached.material;
    const material = unchanged(this.cached?.material, await this.read());
    this.cached = { material, until: now + rereadMilliseconds };
    return material;
  }

  /** Worth another try only if the material was not just read. */
  refused(material: CredentialMaterial): boolean {
    if (this.cached?.material !== material) return true;
    const fresh = this.clock.monotonic() - (this.cached.until - rereadMilliseconds) < 1000;
    this.cached.until = 0;
    return !fresh;
  }

  private async read(): Promise<CredentialMaterial> {
    const { tokenFile, certificateFile, keyFile, rest } = this.files;
    const token = tokenFile === undefined ? undefined : (await readText(tokenFile, 'token')).trim();
    if (token === '') throw new ClientError('CREDENTIALS_FAILED', `the token file ${tokenFile} is empty`);
    const certificate =
      certificateFile === undefined ? undefined : await readText(certificateFile, 'client certificate');
    const key = keyFile === undefined ? undefined : await readText(keyFile, 'client key');
    const pair = {
      certificate: certificate ?? rest?.clientCertificate?.certificate,
      key: key ?? rest?.clientCertificate?.key,
    };
    return {
      ...rest,
      ...(token === undefined ? {} : { authorization: bearer(token) }),
      ...(pair.certificate === undefined || pair.key === undefined
        ? {}
        : { clientCertificate: { certificate: pair.certificate, key: pair.key } }),
    };
  }
}

async function readText(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ClientError(
      'CREDENTIALS_FAILED',
      `cannot read the ${what} ${file}: ${(cause as Error).message}; check the path in the kubeconfig and who may read it`,
      { cause },
    );
  }
}

/** The same value while nothing changed, so that connections made with it stay in use. */
function unchanged(before: CredentialMaterial | undefined, now: CredentialMaterial): CredentialMaterial {
  const same =
    before !== undefined &&
    before.authorization === now.authorization &&
    before.clientCertificate?.certificate === now.clientCertificate?.certificate &&
    before.clientCertificate?.key === now.clientCertificate?.key;
  return same ? before : now;
}
