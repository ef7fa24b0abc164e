import { sleep } from '@tektite/meta';
import type { Clock } from '@tektite/meta';
import type { Container, LifecycleHandler, Pod } from '@tektite/schema/kubernetes';
import { httpCheck } from '../probes/http-check.ts';
import type { Reach } from '../probes/reach.ts';
import { resolvePort } from '../probes/container-port.ts';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import { goQuote } from '../env/field-value.ts';
import { podName } from '../container/container-record.ts';

/** Runs a hook of a container. Rejects when it fails; the message is for the container's status. */
export async function runHook(
  handler: LifecycleHandler,
  pod: Pod,
  container: Container,
  running: RunningContainer,
  { podIP, network }: Reach,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const where = `for Container ${goQuote(container.name)} in Pod ${goQuote(podName(pod))} failed - error:`;
  const { exec, httpGet, sleep: pause } = handler;
  if (exec) {
    const command = exec.command ?? [];
    let output = '';
    const onOutput = (_: string, chunk: Uint8Array) => {
      if (output.length < 10_000) output += Buffer.from(chunk).toString();
    };
    const fail = (why: string): never => {
      throw new Error(`Exec lifecycle hook ([${command.join(' ')}]) ${where} ${why}, message: ${goQuote(output)}`);
    };
    const { exitCode } = await running.exec({ command, onOutput }, signal).catch((error: Error) => fail(error.message));
    if (exitCode !== 0) fail(`command '${command.join(' ')}' exited with ${exitCode}: ${output}`);
    return;
  }
  if (httpGet) {
    const port = resolvePort(httpGet.port, container);
    const result = await httpCheck(
      { ...httpGet, port, host: httpGet.host || podIP, agent: 'kube-lifecycle' },
      network,
      clock,
      30_000,
      signal,
    );
    if (result.error) throw new Error(`HTTP lifecycle hook (${httpGet.path ?? ''}) ${where} ${result.error}`);
    return;
  }
  if (pause) await sleep(clock, pause.seconds * 1000, signal);
}
