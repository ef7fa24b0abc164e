import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { readStartReport } from './control-channel.ts';
import { type HostMachine, toolPath } from './host-machine.ts';

/** The first process of a PID namespace that several containers share. */
export interface ProcessHolder {
  /** As the host counts. */
  readonly pid: number;
  /** Ends it, and with it everything in the namespace. */
  end(): Promise<void>;
}

/** Collects orphans, and nothing else. */
const holdScript = `
read -r pid rest </proc/self/stat
printf 'pid %s\\nstarted\\n' "$pid" >&4
exec 4>&-
trap 'exit 0' TERM
while :; do
  sleep 86400 &
  wait
done
`;

export async function startProcessHolder({ tools, userNamespace }: HostMachine): Promise<ProcessHolder> {
  const { setpriv, unshare, sh } = tools;
  const command = [
    ...(userNamespace ? [unshare, '--user', '--map-root-user'] : []),
    setpriv,
    '--pdeathsig',
    'KILL',
    unshare,
    '--pid',
    '--fork',
    '--kill-child=KILL',
    sh,
    '-c',
    holdScript,
  ];
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    env: { PATH: toolPath },
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const { pid } = await readStartReport(child.stdio[4] as Readable);
  if (pid === undefined) throw new Error('cannot make a PID namespace for the containers of a Pod');
  return {
    pid,
    end: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
