import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';

/** An answer about rights is kept so long. */
const maxAgeMs = 10_000;
const maxEntries = 4096;

interface Attributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface AccessReview extends KubeObject {
  readonly status?: { readonly allowed?: boolean };
}

/** The user name of a service account. */
export function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/**
 * Acts as service accounts. A listener has no separate process here, so its requests are impersonated: the API server decides
 * about each with the rights of the account, and not with those of this process.
 */
export class Accounts {
  private readonly client: Client;
  private readonly clients = new Map<string, Client>();
  private readonly reviews = new Map<string, { readonly allowed: Promise<boolean>; readonly until: number }>();

  constructor(client: Client) {
    this.client = client;
  }

  /** A client whose requests are those of a user. */
  as(user: string): Client {
    const known = this.clients.get(user);
    if (known) return known;
    if (this.clients.size >= maxEntries) this.clients.clear();
    const client = this.client.intercepted({
      request: (request, next) =>
        next.request({ ...request, headers: { ...request.headers, 'impersonate-user': user } }),
    });
    this.clients.set(user, client);
    return client;
  }

  /**
   * The client for the objects of a trigger: that of the trigger's account if it names one, which the listener's account must be
   * allowed to impersonate, and that of the listener's otherwise.
   */
  async forTrigger(listenerUser: string, namespace: string, account: string): Promise<Client> {
    if (account === '') return this.as(listenerUser);
    const user = accountUser(namespace, account);
    const may =
      user === listenerUser ||
      (await this.may(listenerUser, { verb: 'impersonate', resource: 'serviceaccounts', namespace, name: account }));
    if (!may)
      throw new Error(
        `serviceaccounts "${account}" is forbidden: User "${listenerUser}" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "${namespace}"`,
      );
    return this.as(user);
  }

  /** Whether a user may do something. */
  may(user: string, attributes: Attributes): Promise<boolean> {
    const key = JSON.stringify([user, attributes]);
    const now = this.client.clock.monotonic();
    const known = this.reviews.get(key);
    if (known && known.until > now) return known.allowed;
    if (this.reviews.size >= maxEntries) this.reviews.clear();
    const allowed = this.review(user, attributes);
    this.reviews.set(key, { allowed, until: now + maxAgeMs });
    // A review that failed says nothing.
    allowed.catch(() => this.reviews.delete(key));
    return allowed;
  }

  private async review(user: string, resourceAttributes: Attributes): Promise<boolean> {
    const [, , namespace = ''] = user.split(':');
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const review = await this.client.create({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user, groups, resourceAttributes },
    } as unknown as AccessReview);
    return review.status?.allowed === true;
  }
}
