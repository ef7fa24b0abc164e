import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/**
 * Gives a file to one process, by a lock that the kernel ends with the process (flock). Node cannot ask for it: the program `flock`
 * inherits the open file and locks it, and the lock stays while the file is open here.
 */
export async function lockFile(file: string): Promise<Disposable> {
  const fd = openSync(file, 'a+', 0o600);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn('flock', ['-w', '1', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
      child.once('error', (cause) =>
        reject(new Error('the program flock (package util-linux) is needed to lock the archive', { cause })),
      );
      child.once('exit', resolve);
    });
    if (code !== 0) throw new Error(`${file}: the archive is in use by another process; stop that one first`);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { [Symbol.dispose]: () => closeSync(fd) };
}
