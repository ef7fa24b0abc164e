import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timersPromises from 'node:timers/promises';
import { callersOutside } from './caller-frame.ts';

/** A guard in force. Disposing it gives everything back. */
export interface RealWorldGuard extends Disposable {
  /** Each use of real time, real randomness, files or the network, with the line that made it. */
  readonly violations: readonly string[];
  /** Lets promises and the event loop come to rest: until no turn of the event loop is asked for any more. */
  settle(): Promise<void>;
}

type Holder = Record<string, unknown>;
type Restore = () => void;

const realSetImmediate = globalThis.setImmediate;
let isActive = false;

/** More turns than that is a program that never comes to rest. */
const maxTurns = 100_000;

/**
 * Makes the use of real time, real randomness, files and the network fail, and remembers the line, while a simulation runs: these are
 * the ways in which two runs of a seed come to differ.
 *
 * Caveats
 * - It is for the whole process. Only one simulation runs in a process at a time.
 * - Code that kept a function before the guard came is not seen. Node's synchronous file functions are allowed: they take no turn.
 */
export function guardRealWorld(): RealWorldGuard {
  if (isActive) throw new Error('a simulation runs in this process already; run one after the other');
  isActive = true;
  const violations: string[] = [];
  const restores: Restore[] = [];
  let pending = 0;

  function violate(what: string, places: readonly string[]): never {
    const message = `${what} inside of a simulation, at ${places[0]}`;
    violations.push(message);
    throw new Error(`${message}\n${places.map((place) => `    at ${place}`).join('\n')}`);
  }

  function forbid(holder: object, name: string, what: string): void {
    const owner = holder as Holder;
    const real = owner[name];
    if (typeof real !== 'function') return;
    const guarded = function guarded(this: unknown, ...given: unknown[]): unknown {
      const places = callersOutside(guarded);
      if (places) violate(what, places);
      return Reflect.apply(real, this, given);
    };
    replace(owner, name, guarded, restores);
  }

  forbidTime(forbid);
  replaceDate(violate, restores);
  for (const [holder, names] of randomness) for (const name of names) forbid(holder, name, `${name}() is called`);
  for (const name of Object.keys(fs.promises)) forbid(fs.promises, name, `fs.promises.${name}() is called`);
  for (const [holder, names] of outside) for (const name of names) forbid(holder, name, `${name}() is called`);
  const countingImmediate = Object.assign((action: (...given: unknown[]) => void, ...given: unknown[]) => {
    pending++;
    return realSetImmediate(() => {
      pending--;
      action(...given);
    });
  }, realSetImmediate);
  replace(globalThis as unknown as Holder, 'setImmediate', countingImmediate, restores);
  syncBuiltinESMExports();

  return {
    violations,
    async settle() {
      let turns = 0;
      do {
        if (++turns > maxTurns)
          throw new Error('the program never rests: it asks for one turn of the event loop after the other');
        await new Promise<void>((resolve) => void realSetImmediate(resolve));
      } while (pending > 0);
    },
    [Symbol.dispose]() {
      for (const restore of restores.toReversed()) restore();
      syncBuiltinESMExports();
      isActive = false;
    },
  };
}

function forbidTime(forbid: (holder: object, name: string, what: string) => void): void {
  for (const name of ['setTimeout', 'setInterval']) forbid(globalThis, name, `${name}() is called`);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate'])
    forbid(timersPromises, name, `${name}() of timers/promises is called`);
  forbid(performance, 'now', 'performance.now() is called');
  forbid(AbortSignal, 'timeout', 'AbortSignal.timeout() is called');
}

const randomness: readonly (readonly [object, readonly string[]])[] = [
  [Math, ['random']],
  // `getRandomValues` of node:crypto is this one.
  [Object.getPrototypeOf(globalThis.crypto) as object, ['getRandomValues', 'randomUUID']],
  [
    crypto,
    [
      'randomUUID',
      'randomBytes',
      'randomInt',
      'randomFill',
      'randomFillSync',
      'generateKeyPair',
      'generateKeyPairSync',
      'generateKey',
      'generateKeySync',
    ],
  ],
];

const outside: readonly (readonly [object, readonly string[]])[] = [
  [globalThis, ['fetch']],
  [net.Socket.prototype, ['connect']],
  [net.Server.prototype, ['listen']],
  [dgram.Socket.prototype, ['bind', 'send']],
  [childProcess, ['spawn', 'exec', 'execFile', 'fork']],
];

/** `new Date(value)` is a calculation; `new Date()` and `Date.now()` read the clock. */
function replaceDate(violate: (what: string, places: readonly string[]) => never, restores: Restore[]): void {
  const RealDate = globalThis.Date;
  const check = (from: (...given: never[]) => unknown, what: string) => {
    const places = callersOutside(from);
    if (places) violate(what, places);
  };
  const guardedNow = function now(): number {
    check(guardedNow, 'Date.now() is called');
    return RealDate.now();
  };
  const handler: ProxyHandler<DateConstructor> = {
    construct: function construct(target, given, newTarget) {
      if (given.length === 0) check(handler.construct as never, 'new Date() is called');
      return Reflect.construct(target, given, newTarget) as object;
    },
    apply: function apply(target, self, given) {
      check(handler.apply as never, 'Date() is called');
      return Reflect.apply(target, self, given);
    },
    get: (target, name) => (name === 'now' ? guardedNow : Reflect.get(target, name)),
  };
  replace(globalThis as unknown as Holder, 'Date', new Proxy(RealDate, handler), restores);
}

function replace(holder: Holder, name: string, value: unknown, restores: Restore[]): void {
  const own = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: own?.enumerable ?? true,
  });
  restores.push(() => {
    if (own) Object.defineProperty(holder, name, own);
    else delete holder[name];
  });
}
