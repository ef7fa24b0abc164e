import { type CodedError, defineErrors, type ErrorCode } from '@tektite/meta';

/** Why a runtime cannot run containers on this machine. */
export const runtimeErrors = defineErrors('node', 'RuntimeError', {
  TOOL_MISSING: {
    when: 'a program that the runtime needs is not installed',
    fix: 'install the program that the message names, or choose another runtime',
  },
  SANDBOX_MISSING: {
    when: 'the program that makes containers was not compiled with the repository',
    fix: 'install a C compiler and run `npm run build`, or choose another runtime',
  },
  ENGINE_FAILED: {
    when: 'the container engine is installed and does not work',
    fix: 'run the engine alone and correct what it reports, or choose another runtime',
  },
  USER_NAMESPACES_FORBIDDEN: {
    when: 'the kernel does not let ordinary users create user namespaces',
    fix: 'allow them with the sysctl that the message names, or run as root',
  },
  NAMESPACES_FORBIDDEN: {
    when: 'the kernel does not let this process create namespaces or mounts',
    fix: 'run outside of the restricting container, or grant it the capabilities',
  },
  NETWORK_UNAVAILABLE: {
    when: 'this machine cannot have the network that Pods should have',
    fix: 'give Pods the network of the machine, or correct what the message names',
  },
});

export type RuntimeErrorCode = ErrorCode<typeof runtimeErrors>;

export const RuntimeError = runtimeErrors.Error;
export type RuntimeError = CodedError<RuntimeErrorCode>;

export const isRuntimeError = runtimeErrors.is;
