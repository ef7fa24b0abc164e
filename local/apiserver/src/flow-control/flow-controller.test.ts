import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../request/api-request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { ManualClock, settle, TestServer } from '../test-support.ts';
import { FlowController, type Seat } from './flow-controller.ts';

const pods = parseRequestInfo('GET', '/api/v1/namespaces/team/pods', new URLSearchParams());
const account = (name: string): UserInfo => ({
  name: `system:serviceaccount:team:${name}`,
  groups: ['system:serviceaccounts', 'system:authenticated'],
});
const person = (name: string): UserInfo => ({ name, groups: ['system:authenticated'] });
const admin: UserInfo = { name: 'root', groups: ['system:masters'] };
const node: UserInfo = { name: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] };

/** A server with the default configuration, and a separate controller with so many seats. */
async function controlled(seats: number) {
  const clock = new ManualClock();
  const server = await TestServer.start({ clock });
  await server.server.announce({ host: '127.0.0.1', port: 1, clientCa: 'PEM' });
  const flows = new FlowController({ storage: server.server.storage, clock, seats });
  const outcome = (user: UserInfo, signal?: AbortSignal) => {
    const state: { seat?: Seat; denied?: unknown } = {};
    try {
      void Promise.resolve(flows.enter(user, pods, signal)).then(
        (seat) => {
          if (seat) state.seat = seat;
        },
        (error: unknown) => {
          state.denied = error;
        },
      );
    } catch (error) {
      state.denied = error;
    }
    return state;
  };
  const close = async () => {
    flows[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  };
  return { clock, server, flows, outcome, [Symbol.asyncDispose]: close };
}

describe('priority and fairness', () => {
  it('keeps the share of a level free, whatever another one sends', async () => {
    await using control = await controlled(100);
    const { outcome } = control;
    const greedy = Array.from({ length: 400 }, () => outcome(account('greedy')));
    await settle();
    const running = greedy.filter(({ seat }) => seat).length;
    expect(running).toBeGreaterThan(30);
    expect(running).toBeLessThan(100);
    for (const user of [node, person('ann')]) {
      const state = outcome(user);
      await settle();
      expect(state.seat, user.name).toBeDefined();
    }
    const exempt = Array.from({ length: 500 }, () => outcome(admin));
    await settle();
    expect(exempt.every(({ seat }) => seat)).toBe(true);
  });

  it('lets flows of a level take turns: a greedy one delays another by one request', async () => {
    await using control = await controlled(100);
    const { outcome } = control;
    const greedy = Array.from({ length: 300 }, () => outcome(account('greedy')));
    const modest = outcome(account('modest'));
    await settle();
    expect(modest.seat).toBeUndefined();
    const running = greedy.filter(({ seat }) => seat);
    running[0]?.seat?.[Symbol.dispose]();
    await settle();
    running[1]?.seat?.[Symbol.dispose]();
    await settle();
    expect(modest.seat).toBeDefined();
    expect(greedy.filter(({ seat }) => seat)).toHaveLength(running.length + 1);
  });

  it('denies what finds the queues full, waits for too long, or is given up by its client', async () => {
    await using control = await controlled(20);
    const { outcome, clock } = control;
    const many = Array.from({ length: 1000 }, () => outcome(person('greedy')));
    await settle();
    const denied = many.filter((state) => state.denied);
    expect(denied.length).toBeGreaterThan(500);
    expect(denied[0]?.denied).toMatchObject({ status: { code: 429, details: { retryAfterSeconds: 1 } } });
    const left = new AbortController();
    const leaving = outcome(person('leaving'), left.signal);
    left.abort();
    await settle();
    expect(leaving.denied).toBeDefined();
    clock.advance(16);
    await settle();
    expect(many.every(({ seat, denied: error }) => seat ?? error)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('follows changes of the configuration', async () => {
    await using control = await controlled(100);
    const { server, outcome } = control;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/service-accounts';
    const change = { spec: { priorityLevelConfiguration: { name: 'catch-all' } } };
    await server.ok('PATCH', path, JSON.stringify(change), { headers });
    const many = Array.from({ length: 200 }, () => outcome(account('a')));
    await settle();
    expect(many.filter(({ denied }) => denied).length).toBeGreaterThan(50);
  });

  it('shows clients the schema and the level of their request', async () => {
    await using control = await controlled(100);
    const { server } = control;
    const answer = await server.send('GET', '/version', undefined, { user: undefined });
    expect(answer.headers).toMatchObject({
      'x-kubernetes-pf-flowschema-uid': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      'x-kubernetes-pf-prioritylevel-uid': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });
});
