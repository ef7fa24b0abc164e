import { temporaryFolder } from '../../test-support.ts';
import { storageCases } from '../storage.cases.ts';
import { EmbeddedStorage } from './embedded-storage.ts';

const folder = temporaryFolder();

storageCases('in a file', async () => {
  const storage = await EmbeddedStorage.open(folder.path);
  const dispose = storage[Symbol.asyncDispose].bind(storage);
  return Object.assign(storage, {
    async [Symbol.asyncDispose]() {
      await dispose();
      folder[Symbol.dispose]();
    },
  });
});
