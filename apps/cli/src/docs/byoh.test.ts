import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/byoh.md');
