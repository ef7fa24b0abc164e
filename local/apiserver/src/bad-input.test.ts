import { describe, expect, it } from 'vitest';
import {
  accepts,
  Attacker,
  checkPrototypes,
  methods,
  patchTypes,
  prepared,
  type Target,
  targets,
} from './bad-input.cases.ts';

/**
 * Whatever comes in, the answer is well formed, the error is the client's, and the process survives. `FUZZ` multiplies
 * the number of rounds, `FUZZ_SEED` changes what they are.
 */
const rounds = Number(process.env.FUZZ ?? 1);
const firstSeed = Number(process.env.FUZZ_SEED ?? 1);

describe('bad input', () => {
  it('in objects, of every kind, is answered properly', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, firstSeed);
    const all = targets();
    for (let round = 0; round < 25 * rounds; round++) {
      for (const { collection, item, valid } of all) {
        const object = attacker.chance(0.9) ? attacker.mutate(valid(attacker)) : valid(attacker);
        const { body, type } = attacker.encode(object);
        const headers = { 'content-type': type, accept: attacker.chance(0.1) ? attacker.pick(accepts) : '*/*' };
        const created = await attacker.send('POST', collection + attacker.query(), body, headers);
        if (created.code === 201 || attacker.chance(0.3)) await change(attacker, item, valid, headers);
      }
    }
    attacker.report();
    checkPrototypes();
    expect(attacker.slowest.milliseconds, attacker.slowest.what).toBeLessThan(1000);
  }, 600_000);

  async function change(attacker: Attacker, item: string, valid: Target['valid'], headers: Record<string, string>) {
    const again = attacker.encode(attacker.mutate(valid(attacker)));
    await attacker.send('PUT', item + attacker.query(), again.body, { ...headers, 'content-type': again.type });
    for (const type of patchTypes) {
      if (attacker.chance(0.5)) continue;
      const patch = patchOf(attacker, type, valid);
      const query = type.includes('apply') && attacker.chance(0.9) ? '?fieldManager=m&force=true' : attacker.query();
      await attacker.send('PATCH', item + query, attacker.encode(patch).body, { ...headers, 'content-type': type });
    }
    const sub = attacker.pick([
      'status',
      'scale',
      'binding',
      'eviction',
      'token',
      'finalize',
      'log',
      'approval',
      'ephemeralcontainers',
      'resize',
      'nothing',
      'proxy',
    ]);
    const method = attacker.pick(['GET', 'POST', 'PUT', 'PATCH']);
    await attacker.send(
      method,
      `${item}/${sub}${attacker.query()}`,
      attacker.encode(attacker.mutate(valid(attacker))).body,
      {
        'content-type': method === 'PATCH' ? attacker.pick(patchTypes) : 'application/json',
      },
    );
    await attacker.send('GET', item + attacker.query(), undefined, { accept: attacker.pick(accepts) });
    await attacker.send('GET', item.slice(0, item.lastIndexOf('/')) + attacker.query(), undefined, {
      accept: attacker.pick(accepts),
    });
    const options = attacker.chance(0.5) ? attacker.encode(attacker.mutate(deleteOptions)).body : undefined;
    if (!item.includes('customresourcedefinitions')) {
      await attacker.send('DELETE', item + attacker.query(), options, { 'content-type': 'application/json' });
      await attacker.send('PATCH', item, Buffer.from('{"metadata":{"finalizers":null}}'), {
        'content-type': 'application/merge-patch+json',
      });
      await attacker.send('DELETE', item, Buffer.from('{"gracePeriodSeconds":0}'), {});
    }
  }

  const deleteOptions = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 1,
    preconditions: { uid: 'u', resourceVersion: '1' },
    propagationPolicy: 'Orphan',
    dryRun: ['All'],
  };

  function patchOf(attacker: Attacker, type: string, valid: Target['valid']): unknown {
    if (type !== 'application/json-patch+json') return attacker.mutate(valid(attacker));
    const operation = () => ({
      op: attacker.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
      path: attacker.pick([
        '',
        '/',
        '/metadata',
        '/metadata/labels/a',
        '/spec',
        '/spec/-',
        '/spec/0',
        '/metadata/finalizers/-',
        '/__proto__/polluted',
        '/constructor/prototype/polluted',
        '/metadata/labels',
        '/metadata/name',
        '/kind',
        'x',
        '/~2',
      ]),
      from: attacker.pick(['', '/metadata', '/spec', '/metadata/labels/a']),
      value: attacker.anything(),
    });
    const patch = Array.from({ length: 1 + attacker.upTo(4) }, operation);
    return attacker.chance(0.2) ? attacker.mutate(patch) : patch;
  }

  it('in addresses, methods, parameters and headers is answered properly', async () => {
    await using server = await prepared();
    const attacker = new Attacker(server, firstSeed + 1);
    const segments = [
      '',
      'api',
      'apis',
      'v1',
      'v2',
      'namespaces',
      'default',
      'pods',
      'configmaps',
      'x',
      'status',
      'log',
      'watch',
      '..',
      '.',
      '%2e%2e',
      '%2F',
      '%00',
      '%',
      '%zz',
      '%ff',
      'apps',
      'deployments',
      'example.com',
      'widgets',
      'openapi',
      'v3',
      'healthz',
      'version',
      'metrics',
      '__proto__',
      'constructor',
      'toString',
      'a'.repeat(5000),
      'ü',
      ' ',
      'tektite',
      'compact',
      '\u0000',
    ];
    for (let round = 0; round < 4000 * rounds; round++) {
      const slash = attacker.chance(0.1) ? '//' : '/';
      const start = attacker.pick([
        '/api/v1',
        '/apis/apps/v1',
        '/apis/example.com/v1',
        '',
        '/api',
        '/apis',
        '/openapi/v3',
      ]);
      const path = start + Array.from({ length: attacker.upTo(7) }, () => slash + attacker.pick(segments)).join('');
      const headers: Record<string, string> = { accept: attacker.pick(accepts) };
      if (attacker.chance(0.1)) headers['impersonate-user'] = attacker.text();
      if (attacker.chance(0.05)) headers['impersonate-group'] = attacker.text();
      if (attacker.chance(0.05)) headers['impersonate-extra-__proto__'] = attacker.text();
      if (attacker.chance(0.1)) headers['user-agent'] = attacker.text();
      const body = attacker.chance(0.3) ? attacker.encode(attacker.anything()).body : undefined;
      await attacker.send(attacker.pick(methods), (path || '/') + attacker.query(), body, headers);
    }
    attacker.report();
    checkPrototypes();
    expect(attacker.slowest.milliseconds, attacker.slowest.what).toBeLessThan(1000);
  }, 600_000);
});
