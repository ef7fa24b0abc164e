import { kinds } from '@tektite/client';
import { humanDuration, systemRandom } from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { createToken, tokenForm, tokenSecret } from '../join/bootstrap-token.ts';
import { joinObjects } from '../join/join-objects.ts';
import { joinCommand, readJoinTarget } from '../join/join-target.ts';
import { readDuration } from '../read-duration.ts';
import { textTable } from '../text-table.ts';
import { UserError } from '../user-error.ts';

export interface TokenCreateOptions extends ClusterChoice {
  readonly ttl: string;
  readonly description?: string;
  readonly printJoinCommand?: boolean;
  readonly server?: string;
}

const namespace = 'kube-system';
const type = 'bootstrap.kubernetes.io/token';

/** `tektite token create`: makes a bootstrap token, and what a machine that joins with it reads. */
export async function createBootstrapToken(given: string | undefined, options: TokenCreateOptions): Promise<void> {
  if (given !== undefined && !tokenForm.test(given))
    throw new UserError(`a token has the form abcdef.0123456789abcdef, not ${JSON.stringify(given)}`, 2);
  const ttl = options.ttl === '0' ? undefined : readDuration('--ttl', options.ttl);
  await withCluster(options, async (client) => {
    const target = await readJoinTarget(client, options.server);
    const token = given ?? createToken(systemRandom);
    for (const object of joinObjects(target))
      await client.apply(object, { fieldManager: 'tektite-token', force: true });
    const expires = ttl === undefined ? undefined : client.clock.now() + ttl;
    const { description } = options;
    await client.create(
      kinds.Secret,
      tokenSecret({ token, ...(description ? { description } : {}), ...(expires === undefined ? {} : { expires }) }),
    );
    process.stdout.write(`${options.printJoinCommand ? joinCommand(target, token) : token}\n`);
  });
}

export interface TokenListOptions extends ClusterChoice {
  readonly output: string;
}

/** `tektite token list`: the bootstrap tokens, without their secrets. */
export async function listBootstrapTokens(options: TokenListOptions): Promise<void> {
  await withCluster(options, async (client) => {
    const { items } = await client.list(kinds.Secret, { namespace, fieldSelector: `type=${type}` });
    const tokens = items.map(shownToken);
    if (options.output === 'json') {
      process.stdout.write(`${JSON.stringify(tokens, undefined, 2)}\n`);
      return;
    }
    if (tokens.length === 0) {
      process.stderr.write('No bootstrap tokens found. `tektite token create` makes one.\n');
      return;
    }
    const now = client.clock.now();
    const columns = [
      { heading: 'ID', cell: ({ id }: ShownToken) => id },
      { heading: 'EXPIRES', cell: ({ expires }: ShownToken) => timeLeft(expires, now) },
      { heading: 'GROUPS', cell: ({ groups }: ShownToken) => groups },
      { heading: 'DESCRIPTION', cell: ({ description }: ShownToken) => description },
    ];
    process.stdout.write(textTable(columns, tokens));
  });
}

/** `tektite token delete`: takes tokens back, by their id or as a whole. Nodes that have joined stay. */
export async function deleteBootstrapTokens(names: readonly string[], options: ClusterChoice): Promise<void> {
  const ids = names.map((name) => {
    const id = /^([a-z0-9]{6})(?:\.[a-z0-9]{16})?$/.exec(name)?.[1];
    if (id === undefined)
      throw new UserError(`a token has the form abcdef.0123456789abcdef, not ${JSON.stringify(name)}`, 2);
    return id;
  });
  await withCluster(options, async (client) => {
    for (const id of ids) {
      await client.delete(kinds.Secret, { namespace, name: `bootstrap-token-${id}` });
      process.stdout.write(`bootstrap token ${id} deleted\n`);
    }
  });
}

interface ShownToken {
  readonly id: string;
  readonly expires: string;
  readonly groups: string;
  readonly description: string;
}

function shownToken({ data }: Secret): ShownToken {
  const text = (key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
  return {
    id: text('token-id'),
    expires: text('expiration'),
    groups: text('auth-extra-groups'),
    description: text('description'),
  };
}

function timeLeft(expires: string, now: number): string {
  if (expires === '') return 'never';
  const left = Date.parse(expires) - now;
  return left > 0 ? `in ${humanDuration(left)}` : 'expired';
}
