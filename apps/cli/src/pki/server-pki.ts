import { issueCertificate, type KeyPair, readCertificate } from '@tektite/certificates';
import { createServerAuthority, issueServerCertificate } from '@tektite/cluster';
import type { Clock } from '@tektite/meta';
import { type Authorities, bundleOf, decideAuthorities } from './decide-authorities.ts';
import type { KeyFolder } from './key-folder.ts';

const adminRequest = { commonName: 'tektite-admin', organizations: ['system:masters'] };
const day = 24 * 60 * 60 * 1000;
/** Certificates with less time left are renewed. */
const renewBefore = 180 * day;
const checkEveryMs = 6 * 60 * 60 * 1000;

/**
 * The certificates of a control plane, renewed while it runs.
 *
 * Guarantees
 * - Keys are created once, so kubeconfigs stay valid across restarts.
 * - The certificates of the server and of the administrator are renewed half a year before they expire.
 * - The authority is rotated with overlap: its successor is trusted half a year before it signs, and the authority itself until
 *   it expires. A client that reads its kubeconfig or the root CA ConfigMap once in that time is never refused.
 */
export class ServerPki implements Disposable {
  private readonly folder: KeyFolder;
  private readonly names: readonly string[];
  private readonly clock: Clock;
  private authorities: Authorities;
  private serverPair: KeyPair;
  private adminPair: KeyPair;
  private timer: Disposable | undefined;

  static async load(folder: KeyFolder, names: readonly string[], clock: Clock): Promise<ServerPki> {
    await folder.create();
    let authorities = await folder.readAuthorities();
    if (!authorities) {
      authorities = { current: await createServerAuthority(clock) };
      await folder.writePair('ca', authorities.current);
    }
    authorities = await rotate(folder, authorities, clock);
    const server = await issueServerCertificate(authorities.current, names, clock);
    const admin = await loadAdmin(folder, authorities, clock);
    return new ServerPki(folder, names, clock, authorities, server, admin);
  }

  private constructor(
    folder: KeyFolder,
    names: readonly string[],
    clock: Clock,
    authorities: Authorities,
    server: KeyPair,
    admin: KeyPair,
  ) {
    this.folder = folder;
    this.names = names;
    this.clock = clock;
    this.authorities = authorities;
    this.serverPair = server;
    this.adminPair = admin;
  }

  /** The authority that signs. */
  get authority(): KeyPair {
    return this.authorities.current;
  }

  /** The certificates of all trusted authorities. */
  get bundle(): string {
    return bundleOf(this.authorities);
  }

  get server(): KeyPair {
    return this.serverPair;
  }

  get admin(): KeyPair {
    return this.adminPair;
  }

  /** Checks now and then; `onChange` is called after certificates were renewed, `onError` when that failed. */
  keepFresh(onChange: () => Promise<void>, onError: (error: unknown) => void): void {
    this.timer = this.clock.setTimer(checkEveryMs, () => {
      this.renew()
        .then((changed) => (changed ? onChange() : undefined))
        .catch(onError)
        .finally(() => {
          if (this.timer) this.keepFresh(onChange, onError);
        });
    });
  }

  [Symbol.dispose](): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
  }

  /** Renews what is due; returns whether anything changed. */
  private async renew(): Promise<boolean> {
    const { folder, clock } = this;
    const authorities = await rotate(folder, this.authorities, clock);
    const isRotated = authorities !== this.authorities;
    this.authorities = authorities;
    const isServerDue = !isFresh(this.serverPair, authorities, clock) || isRotated;
    if (isServerDue) this.serverPair = await issueServerCertificate(authorities.current, this.names, clock);
    const admin = await loadAdmin(folder, authorities, clock);
    const isAdminNew = admin.certificate !== this.adminPair.certificate;
    this.adminPair = admin;
    return isRotated || isServerDue || isAdminNew;
  }
}

async function rotate(folder: KeyFolder, authorities: Authorities, clock: Clock): Promise<Authorities> {
  const step = decideAuthorities(authorities, clock.now());
  const { current, next } = authorities;
  switch (step) {
    case undefined:
      return authorities;
    case 'create-next': {
      const created = await createServerAuthority(clock);
      await folder.writePair('ca-next', created);
      return rotate(folder, { ...authorities, next: created }, clock);
    }
    case 'promote-next':
      await folder.promoteNext(authorities);
      return rotate(folder, next ? { current: next, old: current } : { current }, clock);
    case 'drop-old':
      await folder.dropOld();
      return rotate(folder, { current, ...(next ? { next } : {}) }, clock);
  }
}

async function loadAdmin(folder: KeyFolder, authorities: Authorities, clock: Clock): Promise<KeyPair> {
  const found = await folder.readPair('admin');
  if (found && isFresh(found, authorities, clock)) return found;
  const admin = await issueCertificate(authorities.current, adminRequest, clock);
  await folder.writePair('admin', admin);
  return admin;
}

/** Whether a certificate is of a trusted authority, and both have some time left. */
function isFresh({ certificate }: KeyPair, { current, next, old }: Authorities, clock: Clock): boolean {
  const facts = readCertificate(certificate);
  const issuer = [current, next, old].find((authority) => authority && facts?.isSignedBy(authority.certificate));
  const issuerEnd = (issuer && readCertificate(issuer.certificate)?.notAfter) ?? 0;
  return facts !== undefined && Math.min(facts.notAfter, issuerEnd) - clock.now() > renewBefore;
}
