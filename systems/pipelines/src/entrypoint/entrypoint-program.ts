import { findNativeProgram, howToGetPrograms } from '@tektite/native';

/**
 * The path of the program that runs in every step container (`native/entrypoint`), or undefined when it was not compiled. The same
 * file serves as Tekton's `nop`, `workingdirinit` and `sidecarlogresults`.
 *
 * @example
 * const program = entrypointProgram();
 * if (program === undefined) throw new Error(entrypointMissing);
 */
export function entrypointProgram(): string | undefined {
  return findNativeProgram('entrypoint');
}

/** The error where {@link entrypointProgram} finds no program. */
export const entrypointMissing: string = `The program that runs steps is not compiled for this machine. ${howToGetPrograms}.`;
