import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/nodes.md');
