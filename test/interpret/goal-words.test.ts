import { expect, test } from 'vitest'
import { isInGoal, readGoal } from '../../src/knowledge/interpret/read/goal.ts'

test.each([
  ['My applications', true],
  ['Applications', true],
  ['Night porter', false],
  ['My', false],
])('the words of %j are words of the goal without articles and pronouns: %s', (label, expected) => {
  expect(isInGoal(label, readGoal('Withdraw an application'))).toBe(expected)
})
