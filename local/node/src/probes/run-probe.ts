import type { Clock } from '@tektite/meta';
import type { Container, Probe } from '@tektite/schema/kubernetes';
import type { Network } from '../runtime/network.ts';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import { resolvePort } from './container-port.ts';
import { grpcCheck } from './grpc-check.ts';
import { connectError, httpCheck } from './http-check.ts';
import type { ProbeResult } from './probe-result.ts';
import type { Reach } from './reach.ts';

/** Probes a container once. Never rejects. */
export async function runProbe(
  probe: Probe,
  container: Container,
  running: RunningContainer,
  { podIP, network }: Reach,
  clock: Clock,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  try {
    if (probe.exec) return await execProbe(probe.exec.command ?? [], running, clock, timeoutMs, signal);
    if (running.answersProbes) return { success: true, output: '' };
    if (probe.httpGet) {
      const port = resolvePort(probe.httpGet.port, container);
      const result = await httpCheck(
        { ...probe.httpGet, port, host: probe.httpGet.host || podIP, agent: 'kube-probe' },
        network,
        clock,
        timeoutMs,
        signal,
      );
      // A container that does not answer is unhealthy; that is no fault of the probe.
      return { success: result.success, output: result.output };
    }
    if (probe.tcpSocket)
      return await tcpProbe(
        probe.tcpSocket.host || podIP,
        resolvePort(probe.tcpSocket.port, container),
        network,
        clock,
        timeoutMs,
      );
    if (probe.grpc) {
      const { port, service } = probe.grpc;
      return await grpcCheck({ host: podIP, port, service: service ?? '' }, network, clock, timeoutMs, signal);
    }
    return { success: false, output: '', error: `missing probe handler for container ${container.name}` };
  } catch (error) {
    return { success: false, output: '', error: (error as Error).message };
  }
}

async function execProbe(
  command: readonly string[],
  running: RunningContainer,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> {
  let output = '';
  const timeout = new AbortController();
  using _timer = clock.setTimer(timeoutMs, () => timeout.abort());
  const onOutput = (_: string, chunk: Uint8Array) => {
    if (output.length < 10_240) output += Buffer.from(chunk).toString();
  };
  const { exitCode } = await running.exec({ command, onOutput }, AbortSignal.any([timeout.signal, signal]));
  if (timeout.signal.aborted)
    return {
      success: false,
      output: `command timed out: ${JSON.stringify(command.join(' '))} timed out after ${timeoutMs / 1000}s`,
    };
  return { success: exitCode === 0, output };
}

async function tcpProbe(
  host: string,
  port: number,
  network: Network,
  clock: Clock,
  timeoutMs: number,
): Promise<ProbeResult> {
  const timeout = new AbortController();
  using _timer = clock.setTimer(timeoutMs, () => timeout.abort());
  try {
    (await network.connect(host, port, timeout.signal)).destroy();
    return { success: true, output: '' };
  } catch (error) {
    if (timeout.signal.aborted) return { success: false, output: `dial tcp ${host}:${port}: i/o timeout` };
    return { success: false, output: connectError(error as NodeJS.ErrnoException, { host, port }) };
  }
}
