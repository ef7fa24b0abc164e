import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerSpec } from '../runtime/pod-runtime.ts';
import { relativeParts } from '../volumes/beneath.ts';
import type { SeccompCondition, SeccompFilter, SeccompRule } from './sandbox-job.ts';

/** A profile that cannot be used. */
export class SeccompProfileError extends Error {}

/** The kernel's numbers of actions. Those that need another process to decide are not offered. */
const actions: Readonly<Record<string, number>> = {
  SCMP_ACT_KILL: 0,
  SCMP_ACT_KILL_THREAD: 0,
  SCMP_ACT_KILL_PROCESS: 0x8000_0000,
  SCMP_ACT_TRAP: 0x0003_0000,
  SCMP_ACT_ERRNO: 0x0005_0000,
  SCMP_ACT_LOG: 0x7ffc_0000,
  SCMP_ACT_ALLOW: 0x7fff_0000,
};
const operators = [
  'SCMP_CMP_EQ',
  'SCMP_CMP_NE',
  'SCMP_CMP_MASKED_EQ',
  'SCMP_CMP_LT',
  'SCMP_CMP_LE',
  'SCMP_CMP_GT',
  'SCMP_CMP_GE',
];
const notPermitted = 1;

/** A profile as container engines read it. */
interface ProfileFile {
  readonly defaultAction?: string;
  readonly defaultErrnoRet?: number;
  readonly syscalls?: readonly {
    readonly names?: readonly string[];
    readonly action?: string;
    readonly errnoRet?: number;
    readonly args?: readonly {
      readonly index: number;
      readonly value: number;
      readonly valueTwo?: number;
      readonly op: string;
    }[];
  }[];
}

/** The filter that a container asks for. Throws a {@link SeccompProfileError} when its profile cannot be used. */
export function seccompFilter(
  { seccompProfile, privileged }: Pick<ContainerSpec, 'seccompProfile' | 'privileged'>,
  folder: string,
): SeccompFilter {
  if (privileged || seccompProfile.type === 'Unconfined') return { type: 'none' };
  if (seccompProfile.type !== 'Localhost') return { type: 'default' };
  const name = seccompProfile.localhostProfile;
  try {
    return parseProfile(readFileSync(join(folder, ...relativeParts(name)), 'utf8'));
  } catch (error) {
    throw new SeccompProfileError(`cannot load seccomp profile ${JSON.stringify(name)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export function parseProfile(text: string): SeccompFilter {
  const profile = JSON.parse(text) as ProfileFile;
  return {
    type: 'rules',
    defaultAction: actionOf(profile.defaultAction, profile.defaultErrnoRet),
    rules: (profile.syscalls ?? []).map((rule) => ruleOf(rule)),
  };
}

function ruleOf(rule: NonNullable<ProfileFile['syscalls']>[number]): SeccompRule {
  const names = rule.names ?? [];
  if (names.length === 0) throw new Error('a rule names no system call');
  const conditions = (rule.args ?? []).map(({ index, value, valueTwo = 0, op }): SeccompCondition => {
    const operator = operators.indexOf(op);
    if (operator < 0 || !Number.isInteger(index) || index < 0 || index > 5)
      throw new Error(`a rule for ${names[0]} has an argument that cannot be compared`);
    // With a mask, the profile names the mask first.
    const masked = op === 'SCMP_CMP_MASKED_EQ';
    return {
      argument: index,
      operator,
      value: BigInt(masked ? valueTwo : value),
      mask: BigInt(masked ? value : 0),
    };
  });
  return { names, action: actionOf(rule.action, rule.errnoRet), conditions };
}

function actionOf(name: string | undefined, errno = notPermitted): number {
  const action = actions[name ?? ''];
  if (action === undefined) throw new Error(`the action ${name ?? ''} is not offered`);
  return name === 'SCMP_ACT_ERRNO' ? action | (errno & 0xfff) : action;
}
