export function buildPage(folder: string): Promise<unknown>;
