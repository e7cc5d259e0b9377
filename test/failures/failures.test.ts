import { expect, test } from 'vitest'
import { FAILURES } from '@apprentice/contracts/base/failures.ts'
import { abilityScenarios } from './scenarios-abilities.ts'
import { connectorScenarios } from './scenarios-connectors.ts'
import { documentScenarios } from './scenarios-documents.ts'
import { deviceScenarios } from './scenarios-devices.ts'
import { importScenarios } from './scenarios-imports.ts'
import { installedScenarios } from './scenarios-install.ts'
import { miningScenarios } from './scenarios-mining.ts'
import { installScenarios, proposalScenarios } from './scenarios-proposals.ts'
import { practiceScenarios } from './scenarios-practice.ts'
import { recipeScenarios } from './scenarios-recipes.ts'
import { skillRunScenarios } from './scenarios-skill-runs.ts'
import { skillScenarios } from './scenarios-skills.ts'
import { httpScenarios, rejectedEventScenarios, learnScenarios } from './scenarios.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios({ ...httpScenarios, ...learnScenarios })

test.each(Object.entries(rejectedEventScenarios))(
  '%s rejects an event of a request that is accepted',
  async (code, send) => {
    const reply = await send()
    expect(reply.statusCode).toBe(202)
    expect(reply.json()).toMatchObject({ accepted: 0, rejected: [{ code }] })
  },
)

test('every failure of the catalogue has a scenario', () => {
  const covered: string[] = Object.keys({
    ...httpScenarios,
    ...learnScenarios,
    ...rejectedEventScenarios,
    ...deviceScenarios,
    ...abilityScenarios,
    ...connectorScenarios,
    ...documentScenarios,
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
  expect(Object.keys(FAILURES).filter((code) => !covered.includes(code))).toEqual([])
})
