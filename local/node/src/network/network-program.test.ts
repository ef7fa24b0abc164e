import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { seededRandom } from '@tektite/meta';
import { describe, expect, test } from 'vitest';
import { canHaveNetwork, networkLanes } from './test-support.ts';

const ownNamespace = process.getuid?.() === 0 ? 'none' : `self:${process.getuid?.()}:${process.getgid?.()}`;

/** The network program, without the code that speaks with it. */
function start(program: string, namespace = ownNamespace, prefixes = ['10.244', '10.96']) {
  const words = ['serve', String(process.pid), namespace, ...prefixes, '/nowhere'];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'], env: {} });
  const control = child.stdio[3] as unknown as Socket;
  const handles = child.stdio[4] as unknown as Socket;
  let errors = '';
  let answers = Buffer.alloc(0);
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  control.on('data', (chunk: Buffer) => (answers = Buffer.concat([answers, chunk])));
  for (const socket of [control, handles]) socket.on('error', () => undefined);
  handles.resume();
  return {
    child,
    control,
    ended: once(child, 'close').then(([code, signal]) => ({ code: code as number, signal: signal as string, errors })),
    texts: () => answers.toString('latin1'),
  };
}

const command = (...words: number[]): Buffer => Buffer.from(new Uint32Array([4 * words.length, ...words]).buffer);

describe.runIf(await canHaveNetwork()).each(networkLanes())('the network program, %s', (_lane, program) => {
  test('answers commands that nothing can come of with an error, and goes on', async () => {
    const { control, texts, ended } = start(program);
    const hostile: [Buffer, string][] = [
      [command(1, 0), 'no operation has the number 0'],
      [command(2, 7), 'no operation has the number 7'],
      [command(3, 0xffff_ffff), 'no operation has the number 4294967295'],
      [command(4, 1), 'the operation 1 does not have 0 values'],
      [command(5, 1, 2, 3), 'the operation 1 does not have 2 values'],
      [command(6, 1, 0), 'no Pod can have the number 0'],
      [command(7, 1, 1), 'no Pod can have the number 1'],
      [command(8, 1, 65_535), 'no Pod can have the number 65535'],
      [command(8, 1, 65_534), 'no Pod can have the number 65534'],
      [command(9, 1, 0xffff_ffff), 'no Pod can have the number 4294967295'],
      [command(10, 2, 7), 'no Pod has the number 7'],
      [command(11, 2, 0xffff_ffff), 'no Pod has the number 4294967295'],
      [command(12, 3, 7, 1), 'cannot make a socket: Machine is not on the network'],
      [command(13, 3, 0xffff_ffff, 1), 'cannot make a socket'],
      [command(14, 3, 0, 3), 'no kind of socket has the number 3'],
      [command(15, 4, 0x0a60_0001, 0, 1), 'no socket can listen there'],
      [command(16, 4, 0x0a60_0001, 65_536, 1), 'no socket can listen there'],
      [command(17, 4, 0x0102_0304, 80, 1), 'cannot listen: Cannot assign requested address'],
    ];
    for (const [bytes, text] of hostile) {
      control.write(bytes);
      await expect.poll(texts).toContain(text);
    }
    control.write(Buffer.concat([command(18, 1, 7), command(19, 1, 7)]));
    await expect.poll(texts).toContain('no Pod can have the number 7');
    control.end();
    expect(await ended).toEqual({ code: 0, signal: null, errors: '' });
  });

  test.each([
    ['a length that is too small', Buffer.from(new Uint32Array([4, 1]).buffer)],
    ['a length that is too large', Buffer.from(new Uint32Array([0xffff_ffff, 1, 1]).buffer)],
    ['half a number', Buffer.from(new Uint32Array([10, 1, 1, 1]).buffer)],
  ])('ends when it is given %s', async (_what, bytes) => {
    const { control, texts, ended } = start(program);
    control.write(bytes);
    expect(await ended).toEqual({ code: 1, signal: null, errors: '' });
    expect(texts()).toContain('invalid command');
  });

  test('ends, or goes on, with any bytes', async () => {
    const random = seededRandom(7);
    for (let round = 0; round < 30; round++) {
      const { control, ended } = start(program);
      const bytes = Buffer.from(Array.from({ length: 400 }, () => Math.floor(random.next() * 256)));
      // Every other time, lengths are right and everything else is not.
      if (round % 2) for (let at = 0; at + 20 <= bytes.length; at += 20) bytes.writeUInt32LE(16, at);
      control.end(bytes);
      const { code, signal, errors } = await ended;
      expect([0, 1]).toContain(code);
      expect([signal, errors]).toEqual([null, '']);
    }
  });

  test.each([
    ['self:1', ['10.244', '10.96'], 'describes no user namespace'],
    ['self:1:2:3', ['10.244', '10.96'], 'describes no user namespace'],
    ['none', ['10', '10.96'], 'is no prefix of addresses'],
    ['none', ['10.256', '10.96'], 'is no prefix of addresses'],
    ['none', ['10.244', '10.96.0'], 'is no prefix of addresses'],
  ])('does not start with %s and %s', async (namespace, prefixes, text) => {
    const { texts, ended } = start(program, namespace, prefixes);
    expect((await ended).code).toBe(1);
    expect(texts()).toContain(text);
  });
});
