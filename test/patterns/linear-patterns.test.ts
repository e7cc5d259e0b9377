import { expect, test } from 'vitest'
import { BOUNDED_INPUTS, COMPOSED_PATTERNS } from './exceptions.ts'
import { findSlowText } from './doubling.ts'
import { findSlowPatterns, formatPattern, readSearchedPatterns } from './searched-patterns.ts'
import { collectPatterns } from './source-patterns.ts'

const { literals, composed } = collectPatterns()

const searched = readSearchedPatterns()

test('every regular expression of the source takes linear time, or its input is bounded for a reason', () => {
  expect(findSlowPatterns(literals.filter((pattern) => !searched.has(formatPattern(pattern))))).toEqual([])
}, 600_000)

test('the search finds patterns of more than linear time', () => {
  const slow = [/\s+$/, /[.!?]+$/u, /<[^>]*>/g, /(a+)+$/, /\d+(?:\.\d+)?x/g, /‹[^›]*›/g, /\s*;\s*/, /^(\w+\s?)+$/]
  expect(slow.filter((pattern) => findSlowText(pattern) === undefined)).toEqual([])
  const fast = [/^\s+/, /(?<!\s)\s+$/, /[^\n]+/g, /^[a-z]{1,64}$/, /‹[^‹›]*›/g]
  expect(fast.filter((pattern) => findSlowText(pattern) !== undefined)).toEqual([])
})

test('every pattern that is made at run time is listed with what it is made from', () => {
  const files = [...new Set(composed.map(({ place }) => place.replace(/:\d+$/, '')))].toSorted()
  expect(files).toEqual(Object.keys(COMPOSED_PATTERNS).toSorted())
})

test('no exception is left over', () => {
  const known = new Set(literals.map(({ source }) => source))
  expect(BOUNDED_INPUTS.filter(({ source }) => !known.has(source))).toEqual([])
})
