import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@tektite/meta';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeJob, JobError, type SandboxJob } from './sandbox-job.ts';
import { sandboxLanes } from './test-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'tektite-job-'));
afterAll(() => rmSync(folder, { recursive: true }));

const valid: SandboxJob = {
  command: ['sh', '-c', 'true'],
  env: new Map([
    ['PATH', '/bin'],
    ['EMPTY', ''],
  ]),
  workingDir: '/',
  user: { uid: 1234, gid: 5, groups: [6, 7] },
  capabilities: 0xfn,
  cgroups: ['/sys/fs/cgroup/one'],
  flags: ['noNewPrivileges', 'resolvedPaths'],
  seccomp: {
    type: 'rules',
    defaultAction: 0x7fff_0000,
    rules: [
      {
        names: ['mkdir', 'no_such_call'],
        action: 0x0005_0001,
        conditions: [{ argument: 1, operator: 2, value: 1n, mask: 7n }],
      },
    ],
  },
  container: {
    hostname: 'box',
    root: '/root',
    overlay: { layers: ['/a', '/b'], upper: '/upper', work: '/work' },
    mounts: [
      { kind: 'bind', source: '/x', target: '/y', descriptor: 0, readOnly: true, recursive: false, makePoint: true },
      { kind: 'layered', source: '/x', under: ['/z'], target: '/y', programs: true, makePoint: false },
      { kind: 'cover', target: '/y' },
    ],
  },
};
const headerLength = 12;

/** A job with one record more. */
function withRecord(tag: number, content: Uint8Array): Buffer {
  const { bytes } = encodeJob(valid);
  const record = Buffer.alloc(8);
  record.writeUInt32LE(tag, 0);
  record.writeUInt32LE(content.length, 4);
  const whole = Buffer.concat([bytes, record, content]);
  whole.writeUInt32LE(whole.length - headerLength, 8);
  return whole;
}

describe.each(sandboxLanes('sandbox-job'))('the sandbox program, %s, given a job', (lane, program) => {
  /** Whether the program takes a job. Fails when it does anything but take or reject it. */
  function takes(bytes: Uint8Array): boolean {
    const path = join(folder, 'job');
    writeFileSync(path, bytes);
    const fd = openSync(path, 'r');
    const result = spawnSync(program, ['check', 'run'], { stdio: ['ignore', 'pipe', 'pipe', fd], encoding: 'utf8' });
    closeSync(fd);
    expect([result.stderr, result.signal]).toEqual(['', null]);
    expect([0, 128]).toContain(result.status);
    return result.status === 0;
  }

  /** Its report on a job that it does not take. */
  async function reportOn(bytes: Uint8Array): Promise<string> {
    const child = spawn(program, ['check', 'run'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
    const control = child.stdio[3] as import('node:net').Socket;
    let report = Buffer.alloc(0);
    control.on('data', (chunk: Buffer) => (report = Buffer.concat([report, chunk])));
    control.on('error', () => undefined);
    control.end(bytes);
    await new Promise((resolve) => child.once('close', resolve));
    return report.subarray(8).toString();
  }

  test('takes one that is valid', () => {
    expect(takes(encodeJob(valid).bytes)).toBe(true);
  });

  test('rejects one that ends early, wherever that is', () => {
    const { bytes } = encodeJob(valid);
    const step = lane === 'as shipped' ? 3 : 23;
    for (let length = 0; length < bytes.length; length += step) {
      expect(takes(bytes.subarray(0, length))).toBe(false);
      if (length < headerLength) continue;
      // The header agrees: then a record is cut, or one is missing that has to be there.
      const cut = Buffer.from(bytes.subarray(0, length));
      cut.writeUInt32LE(length - headerLength, 8);
      takes(cut);
    }
  });

  test('takes or rejects one with any bytes changed', () => {
    const random = seededRandom(20);
    const { bytes } = encodeJob(valid);
    for (let round = 0; round < (lane === 'as shipped' ? 300 : 60); round++) {
      const changed = Buffer.from(bytes);
      for (let i = 0; i <= round % 4; i++)
        changed[Math.floor(random.next() * changed.length)] = Math.floor(random.next() * 256);
      takes(changed);
    }
  });

  test('says what is wrong with it', async () => {
    const text = (value: string) => Buffer.from(`${value}\0`);
    const numbers = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer);
    const none = 0xffff_ffff;
    const hostile: [Uint8Array, string][] = [
      [Buffer.from('hello, is this a job?'), 'not of this version'],
      [Buffer.concat([Buffer.from('TSBX'), numbers(1, none)]), 'argument list too long'],
      [withRecord(0, text('x')), 'an unknown record'],
      [withRecord(23, text('x')), 'an unknown record'],
      [withRecord(17, numbers(1)), 'a record of another mode'],
      [withRecord(22, text('kernel/../x=1')), 'a sysctl that cannot be'],
      [withRecord(22, text('/kernel/x=1')), 'a sysctl that cannot be'],
      [withRecord(5, text('/second')), 'too many records of a kind'],
      [withRecord(1, Buffer.from('no end')), 'a text with a NUL, or without its end'],
      [withRecord(1, Buffer.from('a\0b\0')), 'a text with a NUL, or without its end'],
      [withRecord(2, text('=x')), 'a variable without a name'],
      [withRecord(2, text('x')), 'a variable without a name'],
      [withRecord(6, text('relative')), 'a path that is not absolute'],
      [withRecord(6, text(`/${'x'.repeat(5000)}`)), 'a record of a wrong size'],
      [withRecord(9, Buffer.concat([numbers(9, 0, none), text('/a'), text('/b')])), 'a mount of an unknown kind'],
      [withRecord(9, Buffer.concat([numbers(0, 999, none), text('/a'), text('/b')])), 'unknown flags of a mount'],
      [withRecord(9, Buffer.concat([numbers(0, 0, 3), text('/a'), text('/b')])), 'a wrong descriptor of a mount'],
      [withRecord(9, Buffer.concat([numbers(0, 0, 5000), text('/a'), text('/b')])), 'a wrong descriptor of a mount'],
      [withRecord(9, Buffer.concat([numbers(0, 0, none), text('/a')])), 'a mount without a target'],
      [withRecord(9, Buffer.concat([numbers(0, 0, none), text('/a'), text('b')])), 'a mount without a target'],
      [withRecord(9, Buffer.concat([numbers(0, 0, none), text('/a'), text('/b'), text('/c')])), 'bytes after its end'],
      [withRecord(21, Buffer.concat([numbers(5, 0), text('open')])), 'an unknown seccomp action'],
      [withRecord(21, Buffer.concat([numbers(0, none), text('open')])), 'a seccomp rule of a wrong size'],
      [withRecord(21, Buffer.concat([numbers(0, 1, 9, 0, 0, 0, 0, 0), text('x')])), 'an unknown seccomp condition'],
    ];
    for (const [bytes, message] of hostile) expect(await reportOn(bytes)).toContain(message);
  });
});

test('words that no program can be given are rejected before', () => {
  expect(() => encodeJob({ ...valid, command: ['null\0byte'] })).toThrow(JobError);
  expect(() => encodeJob({ ...valid, command: ['x'.repeat(1 << 20)] })).toThrow('argument list too long');
});
