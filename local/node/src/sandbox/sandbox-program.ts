import { findNativeProgram, howToGetPrograms } from '@tektite/native';
import { RuntimeError } from '../runtime/runtime-error.ts';

/** The path of the program that makes containers (`native/sandbox`, compiled with the repository). */
export function sandboxProgram(): string {
  const path = findNativeProgram('sandbox');
  if (path !== undefined) return path;
  throw new RuntimeError(
    'SANDBOX_MISSING',
    `the program that makes containers is not compiled for this machine. ${howToGetPrograms}; or use another runtime (podman, simulated)`,
  );
}
