import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';

/** Which span is the current one, kept along promises and timers: without it, calls would not know their reconcile. */
export function asyncContext(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, fn, thisArg, ...args) => storage.run(context, () => fn.apply(thisArg as never, args)),
    bind: (context, target) =>
      typeof target === 'function'
        ? (((...args: unknown[]) => storage.run(context, () => target(...args) as unknown)) as typeof target)
        : target,
    enable: () => manager,
    disable: () => {
      storage.disable();
      return manager;
    },
  };
  return manager;
}
