import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('docs/write-an-operator.md');
