import { expect, test } from 'vitest'
import { toSingular } from '../../../src/knowledge/interpret/read/node-text.ts'

test.each([
  ['series', 'series'],
  ['movies', 'movie'],
  ['categories', 'category'],
  ['boxes', 'box'],
  ['branches', 'branch'],
  ['addresses', 'address'],
  ['status', 'status'],
  ['news', 'news'],
  ['tasks', 'task'],
])('the singular of %s is %s', (plural, singular) => {
  expect(toSingular(plural)).toBe(singular)
})
