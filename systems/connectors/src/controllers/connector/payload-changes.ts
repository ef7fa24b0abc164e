import type { Source } from '@tektite/controller';
import type { PayloadSource } from '../../payload/payload.ts';

/** Enqueues Connectors when a payload changes, which happens while one is written; in an image it does not. */
export function payloadChanges(payloads: PayloadSource, everyMs: number): Source {
  return {
    describe: 'payloads',
    start(target) {
      let timer: Disposable | undefined;
      let stopped = false;
      let before: string | undefined;
      const check = async (): Promise<void> => {
        const now = await stateOf(payloads);
        const changed = before !== undefined && before !== now;
        before = now;
        if (stopped) return;
        if (changed)
          for (const key of target.keys())
            target.add(key, { lane: 'bulk', cause: { kind: 'payload', object: key, change: 'modified' } });
        timer = target.clock.setTimer(everyMs, () => void check());
      };
      void check();
      return {
        synced: () => Promise.resolve(),
        stop: async () => {
          stopped = true;
          timer?.[Symbol.dispose]();
        },
      };
    },
  };
}

async function stateOf(payloads: PayloadSource): Promise<string> {
  const components = await payloads.components().catch(() => []);
  const states = await Promise.all(
    components.map(async (component) => {
      const state = await payloads.load(component).catch((error: unknown) => String(error));
      return `${component} ${typeof state === 'string' ? state : state?.digest}`;
    }),
  );
  return states.join('\n');
}
