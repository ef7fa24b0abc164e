/** The exit code of a program that SIGPIPE ends, as shells report it. */
const brokenPipe = 141;
let broken = false;

/** Whether the reader of the output is closed: `tektite logs RUN | head -1`. */
export function isOutputClosed(): boolean {
  return broken;
}

/**
 * Ends the command quietly when the reader of its output closes the pipe, or the terminal is closed. A command that handles SIGTERM stops as if it had
 * received one, so that it leaves nothing behind; others exit at once.
 */
export function endOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A terminal that was closed answers with EIO.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    if (broken) return;
    broken = true;
    process.exitCode = brokenPipe;
    process.on('exit', () => (process.exitCode = brokenPipe));
    if (!process.emit('SIGTERM')) process.exit();
  });
  // Errors are reported on this stream: an error of the stream itself cannot be reported.
  process.stderr.on('error', () => undefined);
}
