/**
 * A separate module, loaded when a URL is read: a CommonJS package that is imported dynamically has no named exports in
 * a bundle.
 */
export { request } from 'undici';
