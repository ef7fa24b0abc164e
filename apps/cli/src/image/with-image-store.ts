import { ImageStore } from '@tektite/oci';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';
import { readRegistrySettings } from './registry-settings.ts';

/** The options of all commands about images. */
export interface ImageStoreChoice {
  readonly store?: string;
  readonly registries?: string;
}

/** Opens the image store for a command. Ctrl-C cancels the signal; the next command continues what was downloaded. */
export async function withImageStore<T>(
  choice: ImageStoreChoice,
  act: (store: ImageStore, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const registries = await readRegistrySettings(choice.registries);
  await using store = await ImageStore.open({ registries, ...(choice.store ? { folder: choice.store } : {}) });
  const abort = new AbortController();
  const stop = stopSignal();
  void stop.promise.then(() => abort.abort(new UserError('stopped', 130)));
  try {
    return await act(store, abort.signal);
  } finally {
    stop.ignore();
  }
}
