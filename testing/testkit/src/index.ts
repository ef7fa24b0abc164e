/** A control plane in a test: start it, own its time, break its connections. */
export {
  admin,
  type Cluster,
  type ControlPlane,
  type ControlPlaneOptions,
  type HttpsEndpoint,
  httpsTransport,
  startControlPlane,
} from './control-plane.ts';
export {
  type DecidedFaultOptions,
  type FaultDecision,
  type FaultOptions,
  type FaultRates,
  faultyTransport,
  type FaultyTransport,
  requestFaults,
  type TransportFault,
  watchFaults,
} from './faulty-transport.ts';
export { freePorts } from './free-ports.ts';
export { Mutator } from './fuzz/mutator.ts';
export { type RealControlPlane, type RealControlPlaneOptions, startRealControlPlane } from './real-control-plane.ts';
export { type AccessRecord, recordingTransport, type RecordingTransport } from './recording-transport.ts';
export { type SimulatedProcess, simulatedProcess, type SimulatedProcessOptions } from './simulated-process.ts';
export { settle, type VirtualClock, virtualClock, type VirtualClockOptions } from './virtual-clock.ts';
