import { expect, test } from 'vitest'
import { failures, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { FailureReply } from '@apprentice/contracts/base/route.ts'
import { abilityScenarios } from './scenarios-abilities.ts'
import { deviceScenarios } from './scenarios-devices.ts'
import { importScenarios } from './scenarios-imports.ts'
import { installedScenarios } from './scenarios-install.ts'
import { miningScenarios } from './scenarios-mining.ts'
import { installScenarios, proposalScenarios } from './scenarios-proposals.ts'
import { practiceScenarios } from './scenarios-practice.ts'
import { recipeScenarios } from './scenarios-recipes.ts'
import { skillRunScenarios } from './scenarios-skill-runs.ts'
import { skillScenarios } from './scenarios-skills.ts'
import { edgeScenarios, insideScenarios, learnScenarios, type Scenario } from './scenarios.ts'

const scenarios = Object.entries({ ...edgeScenarios, ...learnScenarios }) as [
  FailureCode,
  Scenario,
][]

test.each(scenarios)('%s is what its scenario gets, as the catalogue has it', async (code, ask) => {
  const reply = await ask()

  const { error } = FailureReply.parse(reply.json())
  expect(error.code).toBe(code)
  expect([reply.statusCode, error.retryable]).toEqual([
    failures[code].status,
    failures[code].retryable,
  ])
  expect(error.message.length).toBeGreaterThan(0)
  expect(error.correlation_id).toBe(reply.headers['x-correlation-id'])
})

test.each(Object.entries(insideScenarios))(
  '%s refuses one part of a request, and the rest is taken',
  async (code, ask) => {
    const reply = await ask()
    expect(reply.statusCode).toBe(202)
    expect(reply.json()).toMatchObject({ accepted: 0, rejected: [{ code }] })
  },
)

test('every failure of the catalogue has a scenario that provokes it', () => {
  const provoked: string[] = Object.keys({
    ...edgeScenarios,
    ...learnScenarios,
    ...insideScenarios,
    ...deviceScenarios,
    ...abilityScenarios,
    ...proposalScenarios,
    ...installScenarios,
    ...installedScenarios,
    ...practiceScenarios,
    ...importScenarios,
    ...recipeScenarios,
    ...miningScenarios,
    ...skillRunScenarios,
    ...skillScenarios,
  })
  expect(Object.keys(failures).filter((code) => !provoked.includes(code))).toEqual([])
})
