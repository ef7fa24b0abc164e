import { findNativeProgram } from '../native-program.ts';
import { RuntimeError } from '../runtime/runtime-error.ts';

/** The path of the program that makes containers (`native/sandbox`, compiled with the repository). */
export function sandboxProgram(): string {
  const path = findNativeProgram('sandbox');
  if (path !== undefined) return path;
  throw new RuntimeError(
    'SANDBOX_MISSING',
    'the program that makes containers is not compiled on this machine. Install a C compiler and its library (Debian and Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc glibc-devel; Alpine: apk add gcc musl-dev linux-headers), then run `npm run build`; or use another runtime (podman, simulated)',
  );
}
