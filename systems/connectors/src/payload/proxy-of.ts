/** The variables that say which proxy to take; names in lower case come first, as everywhere. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a URL, if the environment names one and does not except the host. */
export function proxyOf(url: URL, environment: Environment): URL | undefined {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name.toUpperCase()] || '';
  const proxy = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || isExcepted(url, read('NO_PROXY'))) return undefined;
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const wanted = port || (protocol === 'https:' ? '443' : '80');
  return list.split(',').some((item) => {
    const entry = item.trim().toLowerCase();
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, host = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (only !== undefined && only !== wanted) return false;
    const plain = host.replace(/^\*?\./, '');
    return hostname === plain || hostname.endsWith(`.${plain}`);
  });
}
