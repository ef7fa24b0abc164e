/** The controller runtime: cache, queue, reconcilers. */
export {};
