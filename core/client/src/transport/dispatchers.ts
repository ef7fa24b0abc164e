/**
 * The imports from undici, as a separate module: it is loaded with the first request, and bundlers give a CommonJS
 * package that is imported on demand another shape than Node does.
 */
export { Agent, fetch, Pool, ProxyAgent } from 'undici';
