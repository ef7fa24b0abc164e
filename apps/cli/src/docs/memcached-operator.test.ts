import { itCanBeFollowed } from './test-support.ts';

itCanBeFollowed('examples/memcached-operator/README.md');
