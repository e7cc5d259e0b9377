import { expect, test } from 'vitest'
import { failures, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { FailureReply } from '@apprentice/contracts/base/route.ts'
import type { Scenario } from './scenarios.ts'
import { miningScenarios } from './scenarios-mining.ts'

const scenarios = Object.entries(miningScenarios) as [FailureCode, Scenario][]

test.each(scenarios)('%s is what its scenario gets, as the catalogue has it', async (code, ask) => {
  const reply = await ask()

  const { error } = FailureReply.parse(reply.json())
  expect(error.code, reply.body).toBe(code)
  expect([reply.statusCode, error.retryable]).toEqual([
    failures[code].status,
    failures[code].retryable,
  ])
  expect(error.correlation_id).toBe(reply.headers['x-correlation-id'])
})
