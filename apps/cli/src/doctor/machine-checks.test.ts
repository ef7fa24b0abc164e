import { describe, expect, it } from 'vitest';
import { requireAll } from './check.ts';
import { checkNode, checkPort, checkStepProgram, diskCheck, subordinateIds } from './machine-checks.ts';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

describe('a check', () => {
  it('finds an old Node.js', () => {
    expect(checkNode('20.19.0').status).toBe('ok');
    expect(checkNode('24.1.0').status).toBe('ok');
    expect(checkNode('18.20.1')).toMatchObject({ status: 'missing', remedy: expect.stringContaining('20.19') });
    expect(checkNode('20.9.0').status).toBe('missing');
  });

  it('counts the subordinate ids of a user by name and by number', () => {
    const text = 'ann:100000:65536\nbob:165536:1000\n1000:300000:10\n# x\n';
    expect(subordinateIds(text, { username: 'ann', uid: 1000 })).toBe(65_546);
    expect(subordinateIds(text, { username: 'eve', uid: 1002 })).toBe(0);
  });

  it('warns of a disk that is nearly full, and refuses one that is', () => {
    expect(diskCheck('disk', '/data', 2 ** 34)).toMatchObject({ status: 'ok', detail: '16.0 GiB free in /data' });
    expect(diskCheck('disk', '/data', 2 ** 29).status).toBe('warning');
    expect(diskCheck('disk', '/data', 2 ** 20)).toMatchObject({
      status: 'missing',
      remedy: expect.stringMatching(/--data-dir/),
    });
  });

  it('names a port that another process has', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await checkPort(port, '/nowhere')).toMatchObject({
      status: 'warning',
      remedy: expect.stringMatching(/--port/),
    });
    server.close();
    await once(server, 'close');
    expect(await checkPort(port, '/nowhere')).toMatchObject({ status: 'ok', detail: 'free' });
  });

  it('stops commands with its remedy when something is missing', () => {
    expect(() => requireAll([checkNode('22.0.0'), checkStepProgram('/x')])).not.toThrow();
    expect(() => requireAll([checkNode('22.0.0'), checkNode('18.0.0')])).toThrow(/^Install Node.js 20.19 or later/);
  });
});
