import { expect, test } from 'vitest'
import { TokenBuckets } from '../../src/http/token-buckets.ts'

test('a key has its burst at once and then the tokens of its rate', () => {
  const buckets = new TokenBuckets(2, 3)
  expect([1, 2, 3].map(() => buckets.take('a', 0))).toEqual([0, 0, 0])
  expect(buckets.take('a', 0)).toBe(1)
  expect(buckets.take('b', 0)).toBe(0)
  expect(buckets.take('a', 500)).toBe(0)
  expect(buckets.take('a', 500)).toBe(1)
})

test('buckets of keys that are no longer used are removed', () => {
  const buckets = new TokenBuckets(200, 1000)
  for (let run = 0; run < 50_000; run += 1) buckets.take(`skill-run:${run}`, run * 10)
  expect(buckets.size).toBeLessThanOrEqual(1000)
})

test('an empty bucket is not removed while others are', () => {
  const buckets = new TokenBuckets(0.001, 2)
  buckets.take('busy', 0)
  buckets.take('busy', 0)
  for (let key = 0; key < 5000; key += 1) buckets.take(`other:${key}`, 1)
  expect(buckets.take('busy', 1)).toBeGreaterThan(0)
})
