/** Bring your own host: hosts become nodes, and hosts again, by contract. */
export { byohSystem, type ByohOptions } from './system.ts';
