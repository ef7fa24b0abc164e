// Bundles the command into dist/, as `npm run build` wants it.
import { bundleCommand } from './bundle-command.mjs';

await bundleCommand();
