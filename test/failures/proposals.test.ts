import { expect, test } from 'vitest'
import { failures, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { FailureReply } from '@apprentice/contracts/base/route.ts'
import { installScenarios, proposalScenarios } from './scenarios-proposals.ts'
import type { Scenario } from './scenarios.ts'
import { startDaemon } from '../kit/daemon.ts'
import { drafted } from '../validation/drafted.ts'

const scenarios = Object.entries(proposalScenarios) as [FailureCode, Scenario][]

test.each(scenarios)('%s is what its scenario gets, as the catalogue has it', async (code, ask) => {
  const reply = await ask()

  const { error } = FailureReply.parse(reply.json())
  expect(error.code, reply.body).toBe(code)
  expect([reply.statusCode, error.retryable]).toEqual([
    failures[code].status,
    failures[code].retryable,
  ])
})

test.each(Object.entries(installScenarios))(
  '%s keeps a draft from being installed',
  async (code, ask) => {
    const daemon = await startDaemon()
    await expect(ask(daemon, await drafted(daemon))).rejects.toMatchObject({ code })
  },
)
