import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A component whose code is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return (props: P) => {
    const [Loaded, setLoaded] = useState<ComponentType<P> | undefined>(() => loaded);
    const [error, setError] = useState<string>();
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          loaded = component;
          setLoaded(() => component);
        },
        () => setError('This part of the page cannot be loaded. Was the server updated? Reload the page.'),
      );
    }, []);
    if (error) return <p class="problem">{error}</p>;
    return Loaded ? <Loaded {...props} /> : <div class="loading" aria-busy="true" />;
  };
}
