import { fileURLToPath } from 'node:url';

/** The page as `npm run build` makes it. */
export const pageFolder: string = fileURLToPath(new URL('../../../apps/cli/dist/page', import.meta.url));
