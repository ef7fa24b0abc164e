import { expect, it } from 'vitest';
import { imageTag } from './image-reference.ts';

it.each([
  ['busybox', 'latest'],
  ['busybox:1.36', '1.36'],
  ['registry.example.com:5000/team/app', 'latest'],
  ['registry.example.com:5000/team/app:v1', 'v1'],
  [`busybox@sha256:${'a'.repeat(64)}`, ''],
  [`busybox:1@sha256:${'a'.repeat(64)}`, '1'],
  ['Bad Image', ''],
  ['team/UPPER', ''],
])('finds the tag of %s', (image, tag) => expect(imageTag(image)).toBe(tag));
