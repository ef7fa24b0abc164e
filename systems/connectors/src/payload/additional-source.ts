import { isAbsolute } from 'node:path';

/** One item of `additionalManifests`. */
export type AdditionalSource =
  | { readonly url: string }
  | { readonly path: string }
  /** The error message. */
  | { readonly problem: string };

/** Reads a list of URLs and absolute paths that are separated by commas. */
export function splitSources(text: string): readonly AdditionalSource[] {
  return text.split(',').map((item) => sourceOf(item.trim()));
}

function sourceOf(item: string): AdditionalSource {
  if (/^https?:\/\//i.test(item)) {
    const url = URL.canParse(item) ? new URL(item) : undefined;
    if (!url?.hostname) return { problem: `"${item}" is no URL` };
    if (url.username || url.password) return { problem: `credentials in URLs are not possible (${url.host})` };
    return { url: url.href };
  }
  if (!isAbsolute(item))
    return { problem: `"${item}" is neither an http(s) URL nor an absolute path; separate several by commas` };
  if (item.split('/').includes('..')) return { problem: `"${item}" must not have ".." in it` };
  return item.includes('\0') ? { problem: 'a path must not have NUL in it' } : { path: item };
}
