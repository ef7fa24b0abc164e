import type { LogReply } from '../src/logs/log-messages.ts';
import type { LogPort } from '../src/stores/log-store.ts';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL: (url: string) => string };
}

/** The address of the worker is in the page; it is the only address that a script is made of. */
const { worker: workerUrl = '' } = document.documentElement.dataset;
const { trustedTypes } = globalThis as unknown as { readonly trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('tektite', {
  createScriptURL: (url) => {
    if (url !== workerUrl) throw new Error('not the address of the worker');
    return url;
  },
});

/** Starts the worker of a log view. */
export function openLogPort(): LogPort {
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
  return {
    // Bytes move to the worker; they are not copied.
    post: (request) => worker.postMessage(request, request.type === 'append' ? [request.bytes.buffer] : []),
    onReply: (listener) => worker.addEventListener('message', ({ data }: MessageEvent<LogReply>) => listener(data)),
    close: () => worker.terminate(),
  };
}
