import { expect, test } from 'vitest'
import { FAILURES, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { FailureReply } from '@apprentice/contracts/base/route.ts'
import type { Scenario } from './scenarios.ts'

/** Defines one test per scenario: its reply must have the code, status and retryability of the catalogue. */
export function testScenarios(scenarios: Partial<Record<FailureCode, Scenario>>): void {
  const entries = Object.entries(scenarios) as [FailureCode, Scenario][]
  test.each(entries)('%s is returned as the catalogue describes it', async (code, send) => {
    const reply = await send()

    const { error } = FailureReply.parse(reply.json())
    expect(error.code, reply.body).toBe(code)
    expect([reply.statusCode, error.retryable]).toEqual([FAILURES[code].status, FAILURES[code].retryable])
    expect(error.message.length).toBeGreaterThan(0)
    expect(error.correlation_id).toBe(reply.headers['x-correlation-id'])
  })
}
