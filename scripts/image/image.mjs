// npm run image -- X.Y.Z [--output FOLDER] [--architectures x64,arm64]
//
// Makes the images of a version alone, into dist/image. `npm run release` makes them with everything else.
import { main } from '../release/release.mjs';

process.exitCode = await main({ onlyImages: true, folder: 'dist/image' });
