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
export { type FaultOptions, type FaultRates, faultyTransport, type FaultyTransport } from './faulty-transport.ts';
export { type RealControlPlane, startRealControlPlane } from './real-control-plane.ts';
export { settle, type VirtualClock, virtualClock } from './virtual-clock.ts';
