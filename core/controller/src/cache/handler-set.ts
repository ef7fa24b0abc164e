import type { Clock } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';
import type { CachedObject } from './cached-object.ts';

/**
 * Called as the cache changes, synchronously: put the key into a queue, and return. Promises are not awaited; a
 * rejection is reported to `onError`, as an exception is.
 */
export interface InformerHandler<T> {
  /** `initial`: it was there before, and only the handler or the cache is new. */
  added?(object: T, context: { readonly initial: boolean }): void;
  modified?(object: T, before: T): void;
  /** With the last state that was known, which is the last there was only if `finalStateKnown`. */
  deleted?(object: T, context: { readonly finalStateKnown: boolean }): void;
  /** A resync without a change. Only for handlers that ask for it. */
  resynced?(object: T): void;
}

export interface HandlerOptions {
  /** Call `resynced` for all objects each time so long has passed. Default never. */
  readonly resyncMs?: number;
}

interface Registration<T> {
  readonly handler: InformerHandler<T>;
  timer: Disposable | undefined;
}

/** Those who want to know. One that throws does not keep the others from knowing. */
export class HandlerSet<T extends CachedObject> {
  private readonly clock: Clock;
  private readonly objects: () => readonly T[];
  private readonly onError: (error: Error) => void;
  private readonly registrations = new Set<Registration<T>>();

  constructor(clock: Clock, objects: () => readonly T[], onError: (error: Error) => void) {
    this.clock = clock;
    this.objects = objects;
    this.onError = onError;
  }

  get size(): number {
    return this.registrations.size;
  }

  /**
   * Delivers all objects to the handler before this returns. Disposing the result removes it: it is not called again.
   */
  add(handler: InformerHandler<T>, { resyncMs }: HandlerOptions = {}): Disposable {
    const registration: Registration<T> = { handler, timer: undefined };
    this.registrations.add(registration);
    for (const object of this.objects()) this.call(registration, (to) => to.added?.(object, { initial: true }));
    if (resyncMs !== undefined && resyncMs > 0) this.armResync(registration, resyncMs);
    return { [Symbol.dispose]: () => this.remove(registration) };
  }

  added(object: T, initial: boolean): void {
    this.notify((handler) => handler.added?.(object, { initial }));
  }

  modified(object: T, before: T): void {
    this.notify((handler) => handler.modified?.(object, before));
  }

  deleted(object: T, finalStateKnown: boolean): void {
    this.notify((handler) => handler.deleted?.(object, { finalStateKnown }));
  }

  clear(): void {
    for (const registration of this.registrations) this.remove(registration);
  }

  /** A handler that another one adds during a notification has already received the object in its initial list. */
  private notify(action: (handler: InformerHandler<T>) => unknown): void {
    const present = [...this.registrations];
    for (const registration of present) this.call(registration, action);
  }

  private call(registration: Registration<T>, action: (handler: InformerHandler<T>) => unknown): void {
    if (!this.registrations.has(registration)) return;
    const failed = (cause: unknown) =>
      this.onError(new ControllerError('HANDLER_FAILED', 'a handler of an informer threw', { cause }));
    try {
      const result: unknown = action(registration.handler);
      if (result instanceof Promise) result.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  private armResync(registration: Registration<T>, resyncMs: number): void {
    if (!this.registrations.has(registration)) return;
    registration.timer = this.clock.setTimer(resyncMs, () => {
      for (const object of this.objects()) this.call(registration, (handler) => handler.resynced?.(object));
      this.armResync(registration, resyncMs);
    });
  }

  private remove(registration: Registration<T>): void {
    this.registrations.delete(registration);
    registration.timer?.[Symbol.dispose]();
  }
}
